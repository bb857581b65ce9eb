import WebSocket from 'ws';
import { redact } from './rpc-error.js';

export interface HeadSubscriptionOptions {
  urls: readonly string[];
  /** Called on every announced head, and with null when a connection was lost: whatever came meanwhile was missed. */
  onHead: (hash: string | null) => void;
  /** A connection without any head for this long is taken for dead. */
  silenceMs: number;
  retryMs?: number;
  maxRetryMs?: number;
}

/** Why a connection was lost, without the address it went to, and when (Unix ms). */
export interface SocketProblem {
  message: string;
  at: number;
}

/**
 * Keeps one `eth_subscribe newHeads` alive over a list of WebSocket URLs, taking turns on failure. It only says that
 * there is something to look at: heads are always read and judged over HTTP, so a lost or lying socket costs latency
 * and nothing else.
 */
export class HeadSubscription {
  private socket: WebSocket | null = null;
  private timer: NodeJS.Timeout | null = null;
  private attempts = 0;
  private turn = 0;
  private closed = false;
  private subscribed = false;
  private silent: WebSocket | null = null;
  /** By URL: what its last connection ended with. */
  private readonly problems = new Map<string, SocketProblem>();

  constructor(private readonly options: HeadSubscriptionOptions) {
    if (options.urls.length > 0) this.connect();
  }

  /** True while a subscription is confirmed; otherwise the caller has to poll at full pace. */
  get live(): boolean {
    return this.subscribed;
  }

  /** What is wrong with a URL as far as its last connection told; null when nothing is. */
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
    const url = this.options.urls[this.turn++ % this.options.urls.length]!;
    const socket = new WebSocket(url, {
      handshakeTimeout: 10_000,
      maxPayload: 1024 * 1024,
    });
    this.socket = socket;
    socket.on('open', () => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }));
      this.expectNews(socket);
    });
    let failure = 'the connection ended';
    socket.on('message', (data) => this.receive(socket, String(data), url));
    socket.on('error', (error: Error & { code?: string }) => {
      failure = redact(error.code ?? error.message, url);
      socket.terminate();
    });
    socket.on('close', () => {
      // A chain without news for long is no failure of the node: the connection is only made anew.
      if (!this.closed && this.silent !== socket) this.problems.set(url, { message: failure, at: Date.now() });
      this.lost(socket);
    });
  }

  private receive(socket: WebSocket, text: string, url: string): void {
    let message: { id?: number; result?: unknown; error?: unknown; params?: { result?: { hash?: unknown } } };
    try {
      message = JSON.parse(text);
    } catch {
      socket.terminate();
      return;
    }
    if (message.id === 1) {
      if (message.error !== undefined || message.result === undefined) {
        socket.terminate();
        return;
      }
      this.subscribed = true;
      this.problems.delete(url);
      this.attempts = 0;
    }
    const hash = message.params?.result?.hash;
    if (typeof hash === 'string') {
      this.expectNews(socket);
      this.options.onHead(hash);
    }
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
    this.options.onHead(null);
    const { retryMs = 500, maxRetryMs = 30_000 } = this.options;
    this.timer = setTimeout(() => this.connect(), Math.min(retryMs * 2 ** Math.min(this.attempts++, 8), maxRetryMs));
    this.timer.unref();
  }
}
