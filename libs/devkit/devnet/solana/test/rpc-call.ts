import { request } from 'undici';

/** One JSON-RPC call as bytes on the wire, without a client between. */
export interface RpcAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: specs look into any shape.
  result?: any;
  error?: { code: number; message: string; data?: unknown };
}

export async function rpcCall(url: string, method: string, ...params: unknown[]): Promise<RpcAnswer> {
  return rpcText(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
}

export async function rpcText(url: string, body: string): Promise<RpcAnswer> {
  // A connection of its own: the server may close one that was idle at the moment when it is used again.
  const headers = { 'content-type': 'application/json' };
  const answer = await request(url, { method: 'POST', headers, body, reset: true });
  return (await answer.body.json()) as RpcAnswer;
}
