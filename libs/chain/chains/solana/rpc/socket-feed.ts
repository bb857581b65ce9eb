import { PushQueue } from '../../rpc/push-queue.js';
import { readRefusal } from '../../rpc/refusals.js';
import { type SocketNews, type SocketProblem, SubscriptionSocket } from '../../rpc/subscription-socket.js';
import { isJsonRecord, type Json } from '../malformed.js';
import type { BlockFeed, RawBlockPush } from './block-feed.js';
import { IN_NOTIFICATION, type ListPath, readBlock } from './block-scanner.js';
import { newestVersion, olderVersion, wholeBlocks } from './endpoint.js';
import { isSlot, readEntries, readNodeHeader } from './node-block.js';

export interface SocketFeedOptions {
  urls: readonly string[];
  /** A connection without any news for this long is taken for dead. */
  silenceMs: number;
  maxMessageBytes: number;
  retryMs?: number;
  maxRetryMs?: number;
}

/** Pushed messages that may wait for their reader. */
const MOST_WAITING = 256;
const BLOCKS = 1;
const SLOTS = 2;

type Send = (message: object) => void;

/**
 * The head over WebSocket: `blockSubscribe` where a node offers it, `slotSubscribe` where it does not. A block that it
 * cannot read is announced by its slot alone.
 */
export class SocketFeed implements BlockFeed {
  readonly urls: readonly string[];
  private readonly socket: SubscriptionSocket;
  private readonly queue = new PushQueue<RawBlockPush>(MOST_WAITING, { kind: 'gap' });
  private version = newestVersion;
  private pushes: 'blocks' | 'slots' = 'blocks';
  /** A subscription waits for its answer; an answer to another one is of no interest. */
  private asked = 0;

  constructor(options: SocketFeedOptions) {
    this.urls = options.urls;
    this.socket = new SubscriptionSocket({
      ...options,
      onOpen: (send) => {
        this.version = newestVersion;
        this.askBlocks(send);
      },
      onMessage: (body, send) => this.receive(body, send),
      onLost: () => this.queue.push({ kind: 'gap' }),
    });
  }

  get live(): 'blocks' | 'slots' | null {
    return this.socket.live ? this.pushes : null;
  }

  problemOf(url: string): SocketProblem | null {
    return this.socket.problemOf(url);
  }

  blocks(signal: AbortSignal): AsyncIterable<RawBlockPush> {
    return this.queue.read(signal);
  }

  close(): void {
    this.socket.close();
    this.queue.end();
  }

  private askBlocks(send: Send): void {
    this.asked = BLOCKS;
    const config = { ...wholeBlocks(this.version), showRewards: false };
    send({ jsonrpc: '2.0', id: BLOCKS, method: 'blockSubscribe', params: ['all', config] });
  }

  private askSlots(send: Send): void {
    this.asked = SLOTS;
    send({ jsonrpc: '2.0', id: SLOTS, method: 'slotSubscribe', params: [] });
  }

  private receive(body: Buffer, send: Send): SocketNews {
    const observedAt = Date.now();
    const { rest, entries, count } = readBlock(body, IN_NOTIFICATION);
    if (!isJsonRecord(rest)) return null;
    if (rest.method === 'slotNotification') return this.slotNews(rest);
    if (rest.method === 'blockNotification') return this.blockNews(rest, entries, count, observedAt);
    if (rest.id !== this.asked) return null;
    if (isJsonRecord(rest.error)) return this.refused(rest.error, send);
    if (rest.result === undefined) return 'refused';
    this.pushes = this.asked === BLOCKS ? 'blocks' : 'slots';
    this.queue.push({ kind: 'gap' });
    return 'subscribed';
  }

  private refused({ code, message }: Json, send: Send): SocketNews {
    const kind = readRefusal('solana', { status: 200, code: Number(code), message: String(message) });
    if (this.asked !== BLOCKS || kind === 'rate-limited') return 'refused';
    const older = kind === 'bad-params' ? olderVersion(this.version) : null;
    if (older !== null) {
      this.version = older;
      this.askBlocks(send);
    } else this.askSlots(send);
    return null;
  }

  private slotNews(message: Json): SocketNews {
    const slot = valueAt(message, ['params', 'result', 'slot']);
    if (isSlot(slot)) this.queue.push({ kind: 'slot', slot });
    return 'news';
  }

  private blockNews(
    message: Json,
    entries: ReturnType<typeof readBlock>['entries'],
    count: number,
    observedAt: number,
  ): SocketNews {
    const slot = valueAt(message, ['params', 'result', 'value', 'slot']);
    if (!isSlot(slot)) return 'news';
    const header = readNodeHeader(slot, valueAt(message, IN_NOTIFICATION.slice(0, -1)));
    if (header === null || entries === null) {
      this.queue.push({ kind: 'slot', slot });
      return 'news';
    }
    this.queue.push({ kind: 'block', block: { ...header, ...readEntries(entries, count) }, observedAt });
    return 'news';
  }
}

function valueAt(message: Json, path: ListPath): unknown {
  let value: unknown = message;
  for (const name of path) value = isJsonRecord(value) ? value[name] : undefined;
  return value;
}
