import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { BlocksGroup, ChainEvent, EpochGroup, PoolRecord, TokenRecord, TxRecord } from '#libs/protocol/blocks.js';

/**
 * Groups of a chain with any number of pools, each of a token of its own against the coin, which one pool prices against a
 * stable. A block of the building phase creates pools; one of the traffic moves some, and the coin's price with them, so that
 * the guards of every priced token are in play.
 */
export interface FoldMarketSize {
  pools: number;
  /** Tokens that the pools have in turn; without it each pool has one of its own. */
  tokens?: number;
  /** Pools that a block of the building phase creates. */
  created: number;
  trades: number;
}

export const COIN = 'c0'.repeat(20);
const STABLE = '5a'.repeat(20);
const WALLET = 'aa'.repeat(20);
const COIN_POOL = 'cc'.repeat(20);
const UNSEALED = 64;
export const FIRST_HEIGHT = 1_000;
const COIN_UNITS = 10n ** 18n;

/** Scattered, as addresses are. */
export const idOf = (at: number, kind: number): string =>
  `${(Math.imul(at + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')}${kind}${at.toString(16).padStart(31, '0')}`;
const hashOf = (height: number): string => height.toString(16).padStart(64, '0');
/** The first of a block has its hash. */
const txOf = (height: number, index: number): string => index.toString(16).padStart(48, '0') + hashOf(height).slice(48);

export class FoldMarket {
  protected readonly random = new SeededRandom(7);
  /** Coin side of each pool in thousandths of a coin. */
  private readonly depths: Int32Array;
  private readonly tokens: number;
  private coinUsd = 3_000;
  private built = 0;

  constructor(
    protected readonly size: FoldMarketSize,
    private seq = -1,
    private height = FIRST_HEIGHT,
  ) {
    this.tokens = size.tokens ?? size.pools;
    this.depths = new Int32Array(size.pools);
    for (let at = 0; at < size.pools; at++) this.depths[at] = Math.round(this.random.spread(50, 2_000_000));
  }

  get isBuilt(): boolean {
    return this.built >= this.size.pools;
  }

  epoch(): EpochGroup {
    this.seq++;
    return {
      kind: 'epoch',
      ...this.envelope(),
      reference: {
        ...{
          family: 'evm',
          genesisHash: hashOf(0),
          startHeight: FIRST_HEIGHT + 1,
          decoderVersion: 1,
          stables: [STABLE],
        },
        coin: { token: COIN, symbol: 'WETH', decimals: 18 },
        rules: { minQuoteUsd: 1_000, depegBps: 100, spotFactor: 3, dustCents: 1 },
      },
    };
  }

  /** Creates the next pools, with their first reserves. */
  building(): BlocksGroup {
    const tokens: TokenRecord[] = [];
    const pools: PoolRecord[] = [];
    const events: ChainEvent[] = [];
    if (this.built === 0) {
      tokens.push(tokenOf(COIN, 18, 'WETH'), tokenOf(STABLE, 6, 'USDT'));
      pools.push(poolOf(COIN_POOL, COIN, STABLE));
      events.push(this.coinReserves(0));
    }
    const to = Math.min(this.size.pools, this.built + this.size.created);
    for (let at = this.built; at < to; at++) {
      if (at < this.tokens) tokens.push(tokenOf(this.tokenAt(at), 18, `T${at.toString(36).toUpperCase()}`));
      pools.push(poolOf(idOf(at, 2), this.tokenAt(at), COIN));
      events.push(this.reservesOf(at, events.length));
      this.create(at, events);
    }
    this.built = to;
    return this.block(tokens, pools, events);
  }

  /** What else happens when a pool is created. */
  protected create(_at: number, _events: ChainEvent[]): void {}

  protected tokenAt(pool: number): string {
    return idOf(pool % this.tokens, 1);
  }

  /** Trades on pools that are drawn by rank (four fifths) or from all alike. */
  traffic(): BlocksGroup {
    const { random, size } = this;
    const events: ChainEvent[] = [this.movedCoin()];
    for (let n = 0; n < size.trades; n++) {
      const at = random.chance(0.2) ? random.below(size.pools) : this.ranked(size.pools);
      const { tokens, coins } = this.move(at);
      events.push(this.reservesOf(at, events.length));
      const swap = { kind: 'swap', tx: 0, ordinal: events.length, pool: idOf(at, 2) } as const;
      events.push({ ...swap, amount0: -tokens, amount1: coins, sender: WALLET, recipient: WALLET, after: null });
    }
    return this.block([], [], events);
  }

  /** Below so many, in proportion to 1 / rank. */
  protected ranked(count: number): number {
    return Math.floor(this.random.spread(1, count + 1)) - 1;
  }

  protected movedCoin(): ChainEvent {
    this.coinUsd *= 1 + (this.random.next() - 0.5) / 500;
    return this.coinReserves(0);
  }

  /** Gives a pool other reserves; a hundredth of those that it had is what the trade moves. */
  protected move(at: number): { tokens: bigint; coins: bigint } {
    const depth = this.depths[at]!;
    this.depths[at] = Math.max(50, Math.round(depth * (1 + (this.random.next() - 0.5) / 20)));
    return { tokens: tokensFor(depth) / 100n, coins: (BigInt(depth) * COIN_UNITS) / 100_000n };
  }

  /** Seals behind the head, as a source does. */
  seal(): BlocksGroup | null {
    const height = this.height - UNSEALED;
    if (height <= FIRST_HEIGHT) return null;
    this.seq++;
    const place = { height, hash: hashOf(height), parentHash: hashOf(height - 1), time: this.timeOf(height) };
    return { kind: 'finalize', ...this.envelope(), ...place, finalizedHeight: height };
  }

  protected block(
    tokens: TokenRecord[],
    pools: PoolRecord[],
    events: ChainEvent[],
    senders: readonly string[] = [WALLET],
  ): BlocksGroup {
    this.seq++;
    this.height++;
    const txs = senders.map((sender, index): TxRecord => ({ id: txOf(this.height, index), index, sender }));
    const head = { ...this.envelope(), source: 'history', observedAt: 0 } as const;
    return { kind: 'block', ...head, txs, tokens, pools, events, anchors: [] };
  }

  private envelope() {
    const { seq, height } = this;
    const hashes = { hash: hashOf(height), parentHash: hashOf(height - 1) };
    return { chain: 'eth', epoch: 1, seq, height, ...hashes, time: this.timeOf(height) };
  }

  protected timeOf(height: number): number {
    return 1_700_000_000_000 + height * 12_000;
  }

  private coinReserves(ordinal: number): ChainEvent {
    const coins = 10_000n * COIN_UNITS;
    const stables = BigInt(Math.round(this.coinUsd * 10_000 * 1e6));
    return { kind: 'reserves', tx: 0, ordinal, pool: COIN_POOL, reserve0: coins, reserve1: stables };
  }

  protected reservesOf(at: number, ordinal: number): ChainEvent {
    const depth = this.depths[at]!;
    const reserve1 = (BigInt(depth) * COIN_UNITS) / 1_000n;
    return { kind: 'reserves', tx: 0, ordinal, pool: idOf(at, 2), reserve0: tokensFor(depth), reserve1 };
  }
}

/** A constant product: the deeper on the coin's side, the fewer tokens. */
const tokensFor = (depth: number): bigint => (10n ** 9n * COIN_UNITS) / BigInt(depth);

const tokenOf = (token: string, decimals: number, symbol: string): TokenRecord => ({
  ...{ token, decimals, symbol, name: `Token ${symbol}` },
  totalSupply: 10n ** 27n,
});

const poolOf = (pool: string, token0: string, token1: string): PoolRecord => ({
  ...{ pool, venue: 'uniswap-v2', kind: 'constant-product', token0, token1, feePpm: 3_000, tickSpacing: 0 },
  created: true,
});
