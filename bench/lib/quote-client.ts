import { connect, type Socket } from 'node:net';

/**
 * As little of an HTTP client as the benchmark needs, so that the server is what is measured: requests are bytes made
 * beforehand, one after the other on each connection, and of an answer only the status and the end are looked at.
 */
export class QuoteClient {
  private constructor(private readonly lines: readonly Line[]) {}

  static async open(port: number, connections: number): Promise<QuoteClient> {
    return new QuoteClient(await Promise.all(Array.from({ length: connections }, () => Line.open(port))));
  }

  /** The body of the answer. */
  ask(request: Buffer): Promise<Buffer> {
    return this.lines[0]!.ask(request);
  }

  /** All of them, over all connections; seconds. */
  async askAll(requests: readonly Buffer[]): Promise<number> {
    const started = performance.now();
    let next = 0;
    const worker = async (line: Line) => {
      while (next < requests.length) await line.ask(requests[next++]!);
    };
    await Promise.all(this.lines.map(worker));
    return (performance.now() - started) / 1000;
  }

  close(): void {
    for (const line of this.lines) line.close();
  }
}

const LENGTH = /\r\ncontent-length: (\d+)/i;

class Line {
  private got: Buffer = Buffer.alloc(0);
  private waiting: { resolve(body: Buffer): void; reject(error: Error): void } | null = null;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (bytes) => this.take(bytes));
    socket.on('error', (error) => this.waiting?.reject(error));
    socket.on('close', () => this.waiting?.reject(new Error('the server ended a connection')));
  }

  static open(port: number): Promise<Line> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Line(socket)));
      socket.once('error', reject);
    });
  }

  ask(request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(request);
    });
  }

  close(): void {
    this.waiting = null;
    this.socket.destroy();
  }

  private take(bytes: Buffer): void {
    this.got = this.got.length === 0 ? bytes : Buffer.concat([this.got, bytes]);
    const end = this.got.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.got.toString('latin1', 0, end);
    const body = this.got.subarray(end + 4);
    if (body.length < Number(LENGTH.exec(head)?.[1] ?? 0)) return;
    this.got = Buffer.alloc(0);
    const { waiting } = this;
    this.waiting = null;
    if (head.startsWith('HTTP/1.1 200 ')) waiting?.resolve(body);
    else waiting?.reject(new Error(`${head.split('\r\n', 1)[0]}: ${body.toString('utf8')}`));
  }
}
