import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One JSON-RPC call on its way to the node: answered here with a result or an error, left alone with null, or never answered. */
export interface ProxiedCall {
  id: unknown;
  method: string;
  params: unknown[];
}

export type Interference = { result: unknown } | { error: { code: number; message: string } } | 'hang' | null;

/** A proxy of a real node that interferes with the calls that a test names. */
export class RpcProxy {
  readonly seen: string[] = [];
  interfere: (call: ProxiedCall) => Interference | Promise<Interference> = () => null;

  private constructor(
    private readonly server: Server,
    private readonly upstream: string,
  ) {}

  static async open(upstream: string): Promise<RpcProxy> {
    const server = createServer();
    const proxy = new RpcProxy(server, upstream);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', async () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as ProxiedCall | ProxiedCall[];
        const calls = Array.isArray(body) ? body : [body];
        const answers = await Promise.all(calls.map((call) => proxy.answer(call)));
        if (answers.includes('hang')) return;
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private async answer(call: ProxiedCall): Promise<unknown> {
    this.seen.push(call.method);
    const own = await this.interfere(call);
    if (own === 'hang') return own;
    if (own !== null) return { jsonrpc: '2.0', id: call.id, ...own };
    const response = await fetch(this.upstream, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call),
    });
    return response.json();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

/** What a node without the method says. */
export function lacking(method: string): (call: ProxiedCall) => Interference {
  return (call) =>
    call.method === method
      ? { error: { code: -32601, message: `the method ${method} does not exist/is not available` } }
      : null;
}
