import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type ClientOptions, WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: frames are looked at field by field
export type Frame = any;

/** Frames in the order in which they came, waited for one by one. */
export class Inbox {
  readonly frames: Frame[] = [];
  private waiting: (() => void)[] = [];
  private over = false;

  push(frame: Frame): void {
    this.frames.push(frame);
    this.wake();
  }

  end(): void {
    this.over = true;
    this.wake();
  }

  /** The next frame, or the next that suits; the ones before it are dropped. */
  async next(suits: (frame: Frame) => boolean = () => true): Promise<Frame> {
    for (;;) {
      while (this.frames.length > 0) {
        const frame = this.frames.shift();
        if (suits(frame)) return frame;
      }
      if (this.over) throw new Error('the connection ended');
      await new Promise<void>((wake) => this.waiting.push(wake));
    }
  }

  private wake(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const wake of waiting) wake();
  }
}

/** A WebSocket whose frames are taken one by one. */
export class SocketClient {
  readonly inbox = new Inbox();
  readonly closed: Promise<{ code: number; reason: string }>;

  static async open(url: string, options: ClientOptions = {}): Promise<SocketClient> {
    const client = new SocketClient(new WebSocket(url.replace('http', 'ws'), options));
    await once(client.socket, 'open');
    return client;
  }

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => this.inbox.push(JSON.parse(String(data))));
    socket.on('error', () => undefined);
    this.closed = new Promise((done) => {
      socket.once('close', (code, reason) => {
        this.inbox.end();
        done({ code, reason: String(reason) });
      });
    });
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  next(suits?: (frame: Frame) => boolean): Promise<Frame> {
    return this.inbox.next(suits);
  }

  /** Sends and takes the next frame as the answer. */
  ask(message: unknown): Promise<Frame> {
    this.send(message);
    return this.next();
  }
}

export interface StreamEvent {
  event: string | null;
  id: string | null;
  data: Frame;
}

/** An event stream read as the standard says, comments kept. */
export class EventClient {
  readonly inbox = new Inbox();
  readonly comments: string[] = [];
  /** What the service says of coming back. */
  readonly retries: string[] = [];
  readonly ended: Promise<void>;
  private rest = '';
  private wakeComment: () => void = () => undefined;

  private constructor(readonly response: IncomingMessage) {
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.take(chunk));
    response.on('error', () => undefined);
    this.ended = new Promise((done) => {
      response.once('close', () => {
        this.inbox.end();
        done();
      });
    });
  }

  static open(url: string, headers: Record<string, string>): Promise<EventClient> {
    return new Promise((done, failed) => {
      const sent = request(url, { headers, agent: false });
      sent.once('error', failed);
      sent.once('response', (response) => {
        if (response.statusCode === 200) done(new EventClient(response));
        else failed(new Error(`status ${response.statusCode}`));
      });
      sent.end();
    });
  }

  next(suits?: (event: StreamEvent) => boolean): Promise<StreamEvent> {
    return this.inbox.next(suits);
  }

  async comment(): Promise<string> {
    while (this.comments.length === 0) {
      await new Promise<void>((wake) => {
        this.wakeComment = wake;
      });
    }
    return this.comments.shift()!;
  }

  close(): void {
    this.response.destroy();
  }

  private take(chunk: string): void {
    const blocks = (this.rest + chunk).split('\n\n');
    this.rest = blocks.pop()!;
    for (const block of blocks) {
      const event: StreamEvent = { event: null, id: null, data: null };
      for (const line of block.split('\n')) {
        if (line.startsWith(':')) {
          this.comments.push(line);
          this.wakeComment();
        } else if (line.startsWith('retry: ')) this.retries.push(line);
        else if (line.startsWith('event: ')) event.event = line.slice(7);
        else if (line.startsWith('id: ')) event.id = line.slice(4);
        else if (line.startsWith('data: ')) event.data = JSON.parse(line.slice(6));
      }
      if (event.event !== null) this.inbox.push(event);
    }
  }
}
