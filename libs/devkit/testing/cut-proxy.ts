import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy whose line can be cut: every connection breaks, and new ones break too until it is mended. */
export class CutProxy {
  private readonly sockets = new Set<Socket>();
  private isCut = false;
  private isStalled = false;
  private isFrozen = false;
  private readonly pairs = new Set<readonly [Socket, Socket]>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(target: string): Promise<CutProxy> {
    const { hostname, port } = new URL(target);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new CutProxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('connection', (incoming) => proxy.pass(incoming, connect(Number(port), hostname)));
    return proxy;
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.sockets.size >> 1;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  /** From now on connections are taken and nothing is ever answered. */
  stall(): void {
    for (const socket of this.sockets) socket.destroy();
    this.isStalled = true;
  }

  /**
   * As a network that is split: connections stay, new ones are taken, and no byte passes. What is under way then passes when the
   * line is mended, however late.
   */
  freeze(): void {
    this.isFrozen = true;
    for (const [incoming, outgoing] of this.pairs) {
      incoming.unpipe().pause();
      outgoing.unpipe().pause();
    }
  }

  mend(): void {
    this.isCut = false;
    if (this.isFrozen) for (const [incoming, outgoing] of this.pairs) incoming.pipe(outgoing).pipe(incoming);
    this.isFrozen = false;
    if (this.isStalled) for (const socket of this.sockets) socket.destroy();
    this.isStalled = false;
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private pass(incoming: Socket, outgoing: Socket): void {
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      this.sockets.add(socket);
      // Either end may break at any time: then so does the other.
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    if (this.isCut) {
      incoming.destroy();
      return;
    }
    const pair = [incoming, outgoing] as const;
    this.pairs.add(pair);
    incoming.once('close', () => this.pairs.delete(pair));
    if (this.isFrozen) return;
    // What is read of a stalled connection is lost: without reading, its end would not be seen.
    if (this.isStalled) incoming.resume();
    else incoming.pipe(outgoing).pipe(incoming);
  }
}
