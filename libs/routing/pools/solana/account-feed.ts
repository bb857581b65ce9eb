import { type SocketNews, SubscriptionSocket } from '#libs/chain/chains/rpc/subscription-socket.js';
import { isJsonRecord, type Json } from '#libs/chain/chains/solana/malformed.js';
import type { ReadCommitment } from './slot-reader.js';

export interface AccountFeedOptions {
  urls: readonly string[];
  commitment: ReadCommitment;
  /** A connection without any message for this long counts as dead. */
  silenceMs: number;
  retryMs?: number;
  onChange: (address: string, slot: number) => void;
  /** What changes until the next subscription is missed. */
  onLost: () => void;
  /** Subscriptions begin: earlier changes are not reported. */
  onLive: () => void;
}

const MAX_MESSAGE_BYTES = 64 * 1024;
const SLOTS = 1;

type Send = (message: object) => void;

/**
 * Which accounts changed, over WebSocket: `accountSubscribe` for each address, without its data, and `slotSubscribe` as the
 * sign of life. Invariant: it only says what to read again; an address that the node refuses is left to the sweeps.
 */
export class AccountFeed {
  private readonly socket: SubscriptionSocket;
  private send: Send | null = null;
  private wanted: ReadonlySet<string> = new Set();
  private nextId = SLOTS + 1;
  /** Addresses by the id of their question, by their subscription, and subscriptions by address. */
  private readonly asked = new Map<number, string>();
  private readonly addresses = new Map<number, string>();
  private readonly subscriptions = new Map<string, number | null>();

  constructor(private readonly options: AccountFeedOptions) {
    const { urls, silenceMs, retryMs } = options;
    this.socket = new SubscriptionSocket({
      ...{ urls, silenceMs, maxMessageBytes: MAX_MESSAGE_BYTES },
      ...(retryMs === undefined ? {} : { retryMs }),
      onOpen: (send) => this.begin(send),
      onMessage: (body) => this.receive(body),
      onLost: () => {
        this.send = null;
        options.onLost();
      },
    });
  }

  get live(): boolean {
    return this.socket.live;
  }

  /** The accounts to follow from here on. */
  watch(addresses: ReadonlySet<string>): void {
    this.wanted = addresses;
    if (this.send === null) return;
    for (const address of addresses) if (!this.subscriptions.has(address)) this.subscribe(address, this.send);
    for (const [address, subscription] of this.subscriptions) {
      if (addresses.has(address) || subscription === null) continue;
      this.subscriptions.delete(address);
      this.addresses.delete(subscription);
      this.send({ jsonrpc: '2.0', id: this.nextId++, method: 'accountUnsubscribe', params: [subscription] });
    }
  }

  close(): void {
    this.send = null;
    this.socket.close();
  }

  private begin(send: Send): void {
    this.asked.clear();
    this.addresses.clear();
    this.subscriptions.clear();
    this.send = send;
    send({ jsonrpc: '2.0', id: SLOTS, method: 'slotSubscribe', params: [] });
    for (const address of this.wanted) this.subscribe(address, send);
  }

  private subscribe(address: string, send: Send): void {
    const id = this.nextId++;
    this.asked.set(id, address);
    this.subscriptions.set(address, null);
    const { commitment } = this.options;
    const config = { commitment, encoding: 'base64', dataSlice: { offset: 0, length: 0 } };
    send({ jsonrpc: '2.0', id, method: 'accountSubscribe', params: [address, config] });
  }

  private receive(body: Buffer): SocketNews {
    const message: unknown = JSON.parse(body.toString('utf8'));
    if (!isJsonRecord(message)) return null;
    if (message.method === 'slotNotification') return 'news';
    if (message.method === 'accountNotification') return this.changed(message);
    if (message.id === SLOTS) {
      if (message.result === undefined) return 'refused';
      this.options.onLive();
      return 'subscribed';
    }
    this.answered(message);
    return null;
  }

  private answered({ id, result }: Json): void {
    const address = this.asked.get(Number(id));
    if (address === undefined) return;
    this.asked.delete(Number(id));
    if (typeof result !== 'number') return;
    this.addresses.set(result, address);
    this.subscriptions.set(address, result);
    // Between its last reading and the subscription it may have changed unseen.
    this.options.onChange(address, 0);
  }

  private changed({ params }: Json): SocketNews {
    const { subscription, result } = isJsonRecord(params) ? params : {};
    const address = this.addresses.get(Number(subscription));
    const context = isJsonRecord(result) ? result.context : null;
    const slot = isJsonRecord(context) ? Number(context.slot) : Number.NaN;
    if (address !== undefined && Number.isSafeInteger(slot)) this.options.onChange(address, slot);
    return 'news';
  }
}
