import { squareRoot } from '#libs/chain/amm/square-root.js';
import type { BlockGroup, ChainEvent, EpochGroup, PoolRecord } from '#libs/protocol/blocks.js';
import type { FactsBlock, TradeFact } from '#libs/protocol/facts.js';
import { CandleAccumulator, volumesOf } from './candles.js';
import { ChainFold } from './chain-fold.js';

const id = (n: number, bytes = 20): string => n.toString(16).padStart(bytes * 2, '0');
const [COIN, USD, TOKEN] = [id(0xc0), id(0xa1), id(0x70)];
const [DEEP, POOL, OTHER, RANGE] = [id(1), id(2), id(3), id(4)];
const UNIT = 10n ** 18n;
const whole = (amount: number): bigint => BigInt(Math.round(amount * 1e9)) * 10n ** 9n;

const epoch = (family: 'evm' | 'solana'): EpochGroup => ({
  ...{ kind: 'epoch', chain: 'eth', epoch: 1, seq: 0, height: 9, hash: id(9, 32), parentHash: '', time: 0 },
  reference: {
    ...{ family, genesisHash: id(1, 32), startHeight: 10, decoderVersion: 1, stables: [USD] },
    coin: { token: COIN, symbol: 'COIN', decimals: 18 },
    rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
  },
});

const record = (pool: string, [token0, token1]: [string, string], kind: PoolRecord['kind']): PoolRecord => ({
  ...{
    pool,
    venue: 'uniswap-v2',
    kind,
    token0,
    token1,
    feePpm: 0,
    tickSpacing: kind === 'concentrated' ? 1 : 0,
    created: true,
  },
});

/** TOKEN for dollars at 1 in pools without a fee; the token is token0 of each. */
class Market {
  private readonly fold = ChainFold.empty();
  private readonly held = new Map<string, [token: bigint, usd: bigint]>();
  private events: ChainEvent[] = [];
  private seq = 0;
  private tx = 0;

  constructor(private readonly family: 'evm' | 'solana' = 'evm') {
    this.fold.apply(epoch(family), '');
    this.state(DEEP, whole(1_000_000), whole(2_000_000_000));
    for (const pool of [POOL, OTHER]) this.state(pool, whole(10_000), whole(10_000));
    this.push({ kind: 'initialize', pool: RANGE, sqrtPriceX96: 2n ** 96n, tick: 0 });
    const wide = { tickLower: -800_000, tickUpper: 800_000, liquidityDelta: whole(10_000) };
    this.push({
      kind: 'liquidity',
      pool: RANGE,
      owner: id(5),
      ...wide,
      amount0: whole(10_000),
      amount1: whole(10_000),
    });
    this.block();
  }

  /** The next events are another transaction's. */
  next(): this {
    this.tx++;
    return this;
  }

  /** Moves a pool's price to `to` as a trade without a fee does, in one transaction. */
  move(pool: string, to: number): this {
    return this.transaction(pool, [to]);
  }

  /** Several trades of one transaction. On Solana the vaults' balances after it come before them. */
  transaction(pool: string, to: readonly number[]): this {
    const trades = to.map((price) => {
      const [token, usd] = this.held.get(pool)!;
      const left = squareRoot((token * usd * 1_000_000n) / BigInt(Math.round(price * 1e6)));
      const after: [bigint, bigint] = [left, (token * usd) / left];
      this.held.set(pool, after);
      return { after, amounts: { amount0: left - token, amount1: after[1] - usd } };
    });
    if (this.family === 'solana') this.state(pool, ...trades.at(-1)!.after);
    for (const { after, amounts } of trades) {
      if (this.family === 'evm') this.state(pool, ...after);
      this.push({ kind: 'swap', pool, ...amounts, sender: id(1), recipient: id(1), after: null });
    }
    return this.next();
  }

  /** A trade in the concentrated pool that leaves it at a price, at a price of its own. */
  inRange(token: number, usd: number, to: number): this {
    const sqrtPriceX96 = squareRoot(BigInt(Math.round(to * 1e6)) * 2n ** 192n) / 1_000n;
    const after = { sqrtPriceX96, tick: Math.floor(Math.log(to) / Math.log(1.0001)), liquidity: whole(10_000) };
    const amounts = { amount0: whole(token), amount1: whole(usd) };
    this.push({ kind: 'swap', pool: RANGE, ...amounts, sender: id(1), recipient: id(1), after });
    return this.next();
  }

  block(): TradeFact[] {
    const height = 9 + ++this.seq;
    const first = this.seq === 1;
    const tokens = [COIN, USD, TOKEN].map((token) => ({
      ...{ token, decimals: 18, symbol: null, name: null, totalSupply: null },
    }));
    const pools = [
      record(DEEP, [COIN, USD].sort() as [string, string], 'constant-product'),
      ...[POOL, OTHER].map((pool) => record(pool, [TOKEN, USD], 'constant-product')),
      record(RANGE, [TOKEN, USD], 'concentrated'),
    ];
    const group: BlockGroup = {
      ...{ kind: 'block', chain: 'eth', epoch: 1, seq: this.seq, height, time: height, source: 'http', observedAt: 0 },
      ...{ hash: id(height, 32), parentHash: id(height - 1, 32), anchors: [] },
      txs: Array.from({ length: this.tx + 1 }, (_, index) => ({
        id: id(height * 100 + index, 32),
        index,
        sender: id(7 + index),
      })),
      tokens: first ? tokens : [],
      pools: first ? pools : [],
      events: this.events,
    };
    this.events = [];
    this.tx = 0;
    return (this.fold.apply(group, '') as FactsBlock).trades;
  }

  private state(pool: string, token: bigint, usd: bigint): void {
    this.held.set(pool, [token, usd]);
    const reserves = { pool, reserve0: token, reserve1: usd };
    this.push(this.family === 'evm' ? { kind: 'reserves', ...reserves } : { kind: 'vaults', ...reserves });
  }

  private push(event: Record<string, unknown>): void {
    this.events.push({ tx: this.tx, ordinal: this.events.length, ...event } as unknown as ChainEvent);
  }
}

const reasons = (trades: readonly TradeFact[]) => trades.map(({ uncounted }) => uncounted);
const candleOf = (trades: readonly TradeFact[]) => {
  const candle = new CandleAccumulator(0);
  for (const trade of trades) candle.add({ ...trade, ...volumesOf(trade), counted: trade.uncounted === null });
  const { high, low, close, volumeUsd, loopVolumeUsd } = candle.candle();
  const dollars = (value: bigint | null, scale: bigint) =>
    value === null ? null : Number(value / (scale / 1_000n)) / 1_000;
  return {
    ...{ high: dollars(high, UNIT * UNIT), low: dollars(low, UNIT * UNIT), close: dollars(close, UNIT * UNIT) },
    ...{ volumeUsd: dollars(volumeUsd, UNIT), loopVolumeUsd: dollars(loopVolumeUsd, UNIT) },
  };
};

describe('what a block undid', () => {
  it('moves no candle and no volume: up 380 times inside of a range of one’s own, and back', () => {
    const market = new Market();
    const quiet = market.inRange(-1, 1, 1).block();
    const spike = market.inRange(-16_000, 6_076_800, 380).inRange(16_000, -6_076_800, 1).block();
    expect(reasons([...quiet, ...spike])).toEqual([null, 'reverted', 'reverted']);
    expect(candleOf([...quiet, ...spike])).toEqual({
      ...{ high: 1, low: 1, close: 1 },
      ...{ volumeUsd: 1, loopVolumeUsd: 12_153_600 },
    });
    expect(spike[0]).toMatchObject({ priceUsd: 3798n * 10n ** 35n, volumeUsd: whole(6_076_800) });
  });

  it('is all that was traded on the way, whoever did it: up in steps, at the top, and down in steps', () => {
    const market = new Market();
    const trades = market.move(POOL, 3).move(POOL, 20).move(POOL, 20.1).move(POOL, 6).move(POOL, 1.01).block();
    expect(reasons(trades)).toEqual(Array(5).fill('reverted'));
    expect(candleOf(trades)).toMatchObject({ high: null, close: null, volumeUsd: 0 });
    // Down and up again is the same.
    expect(reasons(market.move(POOL, 0.1).move(POOL, 1).block())).toEqual(['reverted', 'reverted']);
  });

  it('is not what stays: a sale behind a buy, a part of the way back, small moves, a fall', () => {
    const sandwich = new Market();
    // The honest buy in the middle leaves the price a good part higher.
    expect(reasons(sandwich.move(POOL, 1.3).move(POOL, 1.9).move(POOL, 1.46).block())).toEqual([null, null, null]);
    const market = new Market();
    expect(reasons(market.move(POOL, 4).move(POOL, 2.25).block())).toEqual([null, null]);
    expect(reasons(market.move(POOL, 2.4).move(POOL, 2.25).block())).toEqual([null, null]);
    expect(reasons(market.move(POOL, 0.5).block())).toEqual([null]);
    // From one block to the next anyone could trade at the price between.
    expect(reasons(market.move(POOL, 2).block())).toEqual([null]);
    expect(reasons(market.move(POOL, 0.5).block())).toEqual([null]);
  });

  it('is judged pool by pool', () => {
    const market = new Market();
    const trades = market.move(POOL, 9).move(OTHER, 0.2).move(POOL, 1).move(OTHER, 1).block();
    expect(reasons(trades)).toEqual(Array(4).fill('reverted'));
    const kept = market.move(POOL, 9).move(OTHER, 1.05).move(POOL, 1).block();
    expect(reasons(kept)).toEqual(['reverted', null, 'reverted']);
  });

  it('needs the pool to have been there: a fee of half of what is paid is no spike', () => {
    const market = new Market();
    expect(reasons(market.inRange(-1, 2, 1.0001).block())).toEqual([null]);
  });

  it('is seen inside of one transaction of Solana, whose vaults are stated once', () => {
    const market = new Market('solana');
    market.transaction(POOL, [1.05]).block();
    const trades = market.transaction(POOL, [9, 1.05]).transaction(POOL, [1.06]).block();
    expect(reasons(trades)).toEqual(['reverted', 'reverted', null]);
    expect(reasons(market.transaction(POOL, [9]).transaction(POOL, [1.06]).block())).toEqual(['reverted', 'reverted']);
    expect(reasons(market.transaction(POOL, [9, 5]).block())).toEqual([null, null]);
  });
});
