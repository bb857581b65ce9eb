import type { BlocksGroup, ChainEvent } from '#libs/protocol/blocks.js';
import { COIN, FIRST_HEIGHT, FoldMarket, type FoldMarketSize, idOf } from './fold-market.js';

/**
 * A market of many tokens, each with several pools, of which the first is traded most, and of wallets that come again: most of what
 * a wallet does is in pools that it traded in before, and there it buys and sells. Each trade is a transaction with both transfers.
 * All supply of a token is minted at its start and half of it given to its pools, so its holders are known. The coin is in every pool.
 */
export interface LargeMarketSize extends FoldMarketSize {
  tokens: number;
  wallets: number;
  /** Time of the first block. */
  startTime: number;
  /** Blocks until now, and the time between two of them; those after come every so often. */
  history: number;
  blockMs: number;
  headBlockMs: number;
}

/** Pools that a wallet comes back to. */
const KEPT = 8;
const AGAIN = 0.6;
const SUPPLY = 10n ** 27n;
const ZERO = '00'.repeat(20);

export class LargeMarket extends FoldMarket {
  private readonly kept: Int32Array;
  private readonly poolsOfToken: number;

  constructor(protected override readonly size: LargeMarketSize) {
    super(size);
    this.kept = new Int32Array(size.wallets * KEPT).fill(-1);
    this.poolsOfToken = Math.ceil(size.pools / size.tokens);
  }

  wallet(at: number): string {
    return idOf(at, 3);
  }

  /** Those that are traded most first. */
  token(at: number): string {
    return this.tokenAt(at);
  }

  /** A block with so many trades. */
  trades(count: number): BlocksGroup {
    const events: ChainEvent[] = [this.movedCoin()];
    const senders = Array.from({ length: count }, (_, tx) => this.trade(tx, events));
    return this.block([], [], events, senders);
  }

  protected override create(at: number, events: ChainEvent[]): void {
    const token = this.tokenAt(at);
    const creator = this.wallet((at % this.size.tokens) % this.size.wallets);
    const give = (from: string, to: string, amount: bigint): number =>
      events.push({ kind: 'transfer', tx: 0, ordinal: events.length, token, from, to, amount });
    if (at < this.size.tokens) give(ZERO, creator, SUPPLY);
    give(creator, idOf(at, 2), SUPPLY / BigInt(2 * this.poolsOfToken));
  }

  protected override timeOf(height: number): number {
    const { startTime, history, blockMs, headBlockMs } = this.size;
    const blocks = height - FIRST_HEIGHT;
    return startTime + Math.min(blocks, history) * blockMs + Math.max(0, blocks - history) * headBlockMs;
  }

  /** Answers the wallet. */
  private trade(tx: number, events: ChainEvent[]): string {
    const { random, size } = this;
    const who = Math.floor(size.wallets * random.next() ** 2);
    const wallet = this.wallet(who);
    const slot = who * KEPT + random.below(KEPT);
    const known = this.kept[slot]!;
    const again = known >= 0 && random.chance(AGAIN);
    const at = again ? known : this.anyPool();
    this.kept[slot] = at;
    const sells = again && random.chance(0.5);
    const { tokens, coins } = this.move(at);
    const pool = idOf(at, 2);
    const [from, to] = sells ? [wallet, pool] : [pool, wallet];
    const add = (event: DistributedOmit<ChainEvent, 'tx' | 'ordinal'>): number =>
      events.push({ ...event, tx, ordinal: events.length } as ChainEvent);
    add({ kind: 'transfer', token: COIN, from: to, to: from, amount: coins });
    add({ kind: 'transfer', token: this.tokenAt(at), from, to, amount: tokens });
    events.push({ ...this.reservesOf(at, events.length), tx } as ChainEvent);
    const [amount0, amount1] = sells ? [tokens, -coins] : [-tokens, coins];
    add({ kind: 'swap', pool, amount0, amount1, sender: wallet, recipient: wallet, after: null });
    return wallet;
  }

  /** Tokens by rank, a fifth of the draws from all alike; of a token its first pools most. */
  private anyPool(): number {
    const { random, size, poolsOfToken } = this;
    const token = random.chance(0.2) ? random.below(size.tokens) : this.ranked(size.tokens);
    return Math.min(size.pools - 1, token + size.tokens * this.ranked(poolsOfToken));
  }
}

type DistributedOmit<T, Keys extends PropertyKey> = T extends unknown ? Omit<T, Keys> : never;
