import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** What went through a proxy so far. */
export interface Traffic {
  /** Over HTTP. */
  requests: number;
  /** By method: each call of a list counts, as providers count them. */
  calls: Record<string, number>;
  /** Of answers, without their heads; of sockets all that came from the node. */
  bytes: number;
}

/** Counts what an indexer asks of a node, and what it gets, over HTTP and over WebSockets, and changes nothing of it. */
export class CountingProxy {
  private readonly counted: Traffic = { requests: 0, calls: {}, bytes: 0 };
  private readonly agent = new Agent({ keepAlive: true });
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {}

  static async before(target: string): Promise<CountingProxy> {
    const server = createServer({ keepAlive: true }, (asked, answer) => void proxy.pass(asked, answer));
    const proxy = new CountingProxy(server, new URL(target));
    server.on('upgrade', (asked, socket, head) => proxy.tunnel(asked, socket as Socket, head));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get socketUrl(): string {
    return this.url.replace('http', 'ws');
  }

  /** As it is now; later traffic does not change it. */
  traffic(): Traffic {
    return { ...this.counted, calls: { ...this.counted.calls } };
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.agent.destroy();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of asked) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    this.counted.requests++;
    for (const { method } of [JSON.parse(body.toString('utf8'))].flat() as { method: string }[]) {
      this.counted.calls[method] = (this.counted.calls[method] ?? 0) + 1;
    }
    const headers = { ...asked.headers, host: this.target.host, 'content-length': body.length };
    const { agent } = this;
    const onward = request(this.target, { method: 'POST', path: asked.url, headers, agent }, (given) => {
      answer.writeHead(given.statusCode!, given.headers);
      given.on('data', (chunk: Buffer) => {
        this.counted.bytes += chunk.length;
      });
      given.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    onward.end(body);
  }

  private tunnel(asked: IncomingMessage, client: Socket, head: Buffer): void {
    const node = connect(Number(this.target.port), this.target.hostname);
    for (const [one, other] of [[client, node] as const, [node, client] as const]) {
      this.sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
    const lines = asked.rawHeaders.flatMap((name, n) => (n % 2 === 0 ? [`${name}: ${asked.rawHeaders[n + 1]}`] : []));
    node.write(`GET ${asked.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    if (head.length > 0) node.write(head);
    node.on('data', (chunk) => {
      this.counted.bytes += chunk.length;
    });
    node.pipe(client);
    client.pipe(node);
  }
}

/** What came between two looks. */
export function between(before: Traffic, after: Traffic): Traffic {
  const calls = Object.entries(after.calls).map(([method, count]) => [method, count - (before.calls[method] ?? 0)]);
  return {
    requests: after.requests - before.requests,
    calls: Object.fromEntries(calls.filter(([, count]) => count !== 0)) as Record<string, number>,
    bytes: after.bytes - before.bytes,
  };
}

export const callsOf = ({ calls }: Traffic): number => Object.values(calls).reduce((sum, count) => sum + count, 0);
