import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client';
import { type Frame, Inbox } from './live-clients.js';
import { KEY } from './transport-harness.js';

export type IoOptions = Partial<ManagerOptions & SocketOptions>;

/** The real client of socket.io, with its frames taken one by one. */
export class IoClient {
  readonly inbox = new Inbox();
  /** What the service said before it broke off. */
  readonly ends: { code: number; reason: string }[] = [];
  readonly socket: Socket;
  readonly disconnected: Promise<string>;

  constructor(url: string, options: IoOptions = {}) {
    this.socket = io(`${url}/live`, {
      ...{ transports: ['websocket'], extraHeaders: { 'x-api-key': KEY }, forceNew: true, reconnection: false },
      ...options,
    });
    this.socket.on('frame', (frame: Frame) => this.inbox.push(frame));
    this.socket.on('end', (end) => this.ends.push(end));
    this.disconnected = new Promise((done) => {
      this.socket.once('disconnect', (reason) => {
        this.inbox.end();
        done(reason);
      });
    });
  }

  /** Whether it was let in, or why not. */
  get outcome(): Promise<'connected' | Error> {
    return new Promise((done) => {
      this.socket.once('connect', () => done('connected'));
      this.socket.once('connect_error', done);
    });
  }

  static async open(url: string, options?: IoOptions): Promise<IoClient> {
    const client = new IoClient(url, options);
    const outcome = await client.outcome;
    if (outcome !== 'connected') throw outcome;
    return client;
  }

  next(suits?: (frame: Frame) => boolean): Promise<Frame> {
    return this.inbox.next(suits);
  }

  ask(op: string, message?: unknown): Promise<Frame> {
    if (message === undefined) this.socket.emit(op);
    else this.socket.emit(op, message);
    return this.next();
  }

  /** The socket below, which a spec pauses or writes to as no honest client does. */
  get raw(): { send(text: string | Buffer): void; pause(): void; resume(): void; terminate(): void } {
    return (this.socket.io.engine.transport as unknown as { ws: IoClient['raw'] }).ws;
  }

  /** Without the goodbye that one which reads nothing never hears. */
  close(): void {
    const open = this.socket.connected ? this.raw : null;
    this.socket.disconnect();
    open?.terminate();
  }
}
