import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A node in front of a node: counts the calls of each method, and may refuse one before it passes it on. */
export class CountingProxy {
  readonly counts = new Map<string, number>();
  /** Null passes the request on; a status or an error of the protocol is answered instead. */
  answer: (method: string, count: number) => number | object | null = () => null;
  /** Headers of the newest request. */
  headers: Readonly<Record<string, unknown>> = {};
  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  static async before(target: string): Promise<CountingProxy> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      const { method, id } = JSON.parse(body) as { method: string; id: number };
      const count = (proxy.counts.get(method) ?? 0) + 1;
      proxy.counts.set(method, count);
      proxy.headers = request.headers;
      const given = proxy.answer(method, count);
      if (typeof given === 'number') response.writeHead(given).end('no');
      else if (given) response.end(JSON.stringify({ jsonrpc: '2.0', id, error: given }));
      else {
        const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
        response.writeHead(answer.status).end(await answer.text());
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new CountingProxy(server, (server.address() as AddressInfo).port);
    return proxy;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
