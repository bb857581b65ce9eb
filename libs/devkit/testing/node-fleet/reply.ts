import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reply } from './behaviour.js';

/** How a reply goes out over HTTP. */
export const jsonReply = (status: number, value: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof value === 'string' ? value : JSON.stringify(value),
});

export function sendReply(reply: Reply, incoming: IncomingMessage, response: ServerResponse): void {
  switch (reply) {
    case 'silence':
      return;
    case 'reset':
      incoming.socket.resetAndDestroy();
      return;
    case 'cut':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"jsonrpc":"2.0","id":1,"result":[', () => response.destroy());
      return;
    default:
      response.writeHead(reply.status, reply.headers).end(reply.body);
  }
}
