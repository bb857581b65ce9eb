import WebSocket from 'ws';
import { redact } from './rpc-error.js';

/** Why a connection was lost, without the address it went to, and when (Unix ms). */
export interface SocketProblem {
  message: string;
  at: number;
}

export interface SubscriptionSocketOptions {
  urls: readonly string[];
  /** Asks for the subscription on a fresh connection. */
  onOpen: (send: (message: object) => void, url: string) => void;
  /** Judges a message. Throwing ends the connection. */
  onMessage: (body: Buffer, send: (message: object) => void) => SocketNews;
  /** The subscription that there was, if any, is over: what comes meanwhile is missed. */
  onLost: () => void;
  /** A connection without any news for this long is taken for dead. */
  silenceMs: number;
  /** The largest message that is taken. */
  maxMessageBytes: number;
  retryMs?: number;
  maxRetryMs?: number;
}

/** `subscribed`: the node confirmed; `news`: a notification; `refused`: it will not do; null: nothing of interest. */
export type SocketNews = 'subscribed' | 'news' | 'refused' | null;

/**
 * Keeps one subscription alive over a list of WebSocket URLs, taking turns on failure with growing pauses. At most one
 * connection is open; what a connection that was given up still says is dropped.
 */
export class SubscriptionSocket {
  private socket: WebSocket | null = null;
  private timer: NodeJS.Timeout | null = null;
  private attempts = 0;
  private turn = 0;
  private closed = false;
  private subscribed = false;
  private silent: WebSocket | null = null;
  /** By URL: what its last connection ended with. */
  private readonly problems = new Map<string, SocketProblem>();

  constructor(private readonly options: SubscriptionSocketOptions) {
    if (options.urls.length > 0) this.connect();
  }

  /** True while a subscription is confirmed; otherwise the caller has to poll at full pace. */
  get live(): boolean {
    return this.subscribed;
  }

  /** What is wrong with a URL, as its last connection showed; null when nothing is. */
  problemOf(url: string): SocketProblem | null {
    return this.problems.get(url) ?? null;
  }

  close(): void {
    this.closed = true;
    this.subscribed = false;
    if (this.timer) clearTimeout(this.timer);
    this.socket?.removeAllListeners();
    // An error may still come while the handshake is cut off.
    this.socket?.on('error', () => {});
    this.socket?.terminate();
    this.socket = null;
  }

  private connect(): void {
    const { urls, maxMessageBytes, onOpen } = this.options;
    const url = urls[this.turn++ % urls.length]!;
    const socket = new WebSocket(url, { handshakeTimeout: 10_000, maxPayload: maxMessageBytes });
    this.socket = socket;
    const send = (message: object): void => socket.send(JSON.stringify(message));
    socket.on('open', () => {
      onOpen(send, url);
      this.expectNews(socket);
    });
    let failure = 'the connection ended';
    socket.on('message', (data) => {
      const why = this.receive(socket, data as Buffer, send, url);
      if (why === null) return;
      failure = why;
      socket.terminate();
    });
    socket.on('error', (error: Error & { code?: string }) => {
      failure = redact(error.code ?? error.message, url);
      socket.terminate();
    });
    socket.on('close', () => {
      // A chain without news for long is no failure of the node: the connection is only made again.
      if (!this.closed && this.silent !== socket) this.problems.set(url, { message: failure, at: Date.now() });
      this.lost(socket);
    });
  }

  /** Why the connection cannot continue, or null. */
  private receive(socket: WebSocket, body: Buffer, send: (message: object) => void, url: string): string | null {
    if (this.socket !== socket) return null;
    let news: SocketNews;
    try {
      news = this.options.onMessage(body, send);
    } catch {
      return 'a message that cannot be read';
    }
    if (news === 'refused') return 'the subscription was refused';
    if (news === 'subscribed') {
      this.subscribed = true;
      this.problems.delete(url);
      this.attempts = 0;
    }
    if (news !== null) this.expectNews(socket);
    return null;
  }

  private expectNews(socket: WebSocket): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.silent = socket;
      socket.terminate();
    }, this.options.silenceMs);
    this.timer.unref();
  }

  private lost(socket: WebSocket): void {
    if (this.closed || this.socket !== socket) return;
    this.socket = null;
    this.subscribed = false;
    if (this.timer) clearTimeout(this.timer);
    this.options.onLost();
    const { retryMs = 500, maxRetryMs = 30_000 } = this.options;
    this.timer = setTimeout(() => this.connect(), Math.min(retryMs * 2 ** Math.min(this.attempts++, 8), maxRetryMs));
    this.timer.unref();
  }
}
