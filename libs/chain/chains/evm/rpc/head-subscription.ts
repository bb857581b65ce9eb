import { type SocketNews, type SocketProblem, SubscriptionSocket } from '../../rpc/subscription-socket.js';

export interface HeadSubscriptionOptions {
  urls: readonly string[];
  /** Called on every announced head, and with null when a connection was lost: whatever came meanwhile was missed. */
  onHead: (hash: string | null) => void;
  /** A connection without any head for this long is taken for dead. */
  silenceMs: number;
}

const MAX_MESSAGE_BYTES = 1024 * 1024;

/**
 * One `eth_subscribe newHeads`. It only says that there is something to look at: heads are always read and judged over
 * HTTP, so a lost or lying socket costs latency and nothing else.
 */
export class HeadSubscription {
  private readonly socket: SubscriptionSocket;

  constructor(private readonly options: HeadSubscriptionOptions) {
    const { urls, silenceMs, onHead } = options;
    this.socket = new SubscriptionSocket({
      ...{ urls, silenceMs },
      maxMessageBytes: MAX_MESSAGE_BYTES,
      onOpen: (send) => send({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }),
      onMessage: (body) => this.receive(body),
      onLost: () => onHead(null),
    });
  }

  /** True while a subscription is confirmed; otherwise the caller has to poll at full pace. */
  get live(): boolean {
    return this.socket.live;
  }

  /** What is wrong with a URL, as its last connection showed; null when nothing is. */
  problemOf(url: string): SocketProblem | null {
    return this.socket.problemOf(url);
  }

  close(): void {
    this.socket.close();
  }

  private receive(body: Buffer): SocketNews {
    const message: { id?: number; result?: unknown; error?: unknown; params?: { result?: { hash?: unknown } } } =
      JSON.parse(body.toString());
    if (message.id === 1) {
      return message.error !== undefined || message.result === undefined ? 'refused' : 'subscribed';
    }
    const hash = message.params?.result?.hash;
    if (typeof hash !== 'string') return null;
    this.options.onHead(hash);
    return 'news';
  }
}
