import { sqrtPriceX96 } from '#libs/chain/amm/ratio.js';
import { sqrtRatioAtTick } from '#libs/chain/amm/tick-math.js';
import { ONE_E36 } from '#libs/core/money.js';
import type { BlockGroup, ChainEvent, PoolAnchor, PoolRecord } from '#libs/protocol/blocks.js';
import type { FactsBlock, FactsRetract } from '#libs/protocol/facts.js';
import { ChainFold } from './chain-fold.js';

/** Every row of truth-review that rests on a concentrated pool of Solana counting with its whole vault. */
const id = (n: number): string => n.toString(16).padStart(64, '0');
const SOL = id(0xc0);
const USDC = id(0xa1);
const TOKEN = id(0x70);
const HONEST = id(0x9001);
const RANGED = id(0x9002);
const WHOLE = id(0x9003);
/** All with six decimals. */
const units = (whole: number): bigint => BigInt(Math.round(whole * 1e6));
/** The token is token 0 and costs so many USDC. */
const root = (price: number): bigint => sqrtPriceX96({ numerator: units(price), denominator: units(1) })!;

type Told<E = Extract<ChainEvent, { pool: string }>> = E extends object ? Omit<E, 'tx' | 'ordinal'> : never;

const vaults = (pool: string, token: number | null, usdc: number | null): Told => ({
  kind: 'vaults',
  pool,
  reserve0: token === null ? null : units(token),
  reserve1: usdc === null ? null : units(usdc),
});
const swap = (pool: string, token: number, usdc: number, price: number): Told => ({
  ...{ kind: 'swap', pool, amount0: units(token), amount1: units(usdc), sender: id(6), recipient: id(6) },
  after: { sqrtPriceX96: root(price), liquidity: 0n, tick: 0 },
});

/** A fold of Solana: the coin at $200, an honest pool at $0.10 with $100k a side, and the pools that are named. */
class Market {
  readonly fold = ChainFold.empty();
  private seq = 0;
  private head = 9;
  private parent = id(9);

  constructor(honest = true) {
    this.fold.apply(
      {
        ...{ kind: 'epoch', chain: 'sol', epoch: 1, seq: 0, height: 9, hash: id(9), parentHash: '', time: 0 },
        reference: {
          ...{ family: 'solana', genesisHash: id(1), startHeight: 10, decoderVersion: 1, stables: [USDC] },
          coin: { token: SOL, symbol: 'SOL', decimals: 6 },
          rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
        },
      },
      '',
    );
    this.block(honest ? [[vaults(HONEST, 1_000_000, 100_000)]] : []);
  }

  private pools(): PoolRecord[] {
    const record = (pool: string, kind: PoolRecord['kind'], tickSpacing: number): PoolRecord => ({
      ...{ pool, venue: 'any', kind, token0: TOKEN, token1: USDC, feePpm: 0, tickSpacing, created: false },
    });
    return [
      record(HONEST, 'constant-product', 0),
      record(RANGED, 'concentrated', 80),
      record(WHOLE, 'concentrated', 0),
    ];
  }

  /** Events of each transaction. */
  block(txs: Told[][], anchors: PoolAnchor[] = []): FactsBlock {
    const first = this.seq === 0;
    const height = ++this.head;
    const parentHash = this.parent;
    this.parent = id(1_000 + ++this.seq);
    const events = txs.flatMap((told, tx) => told.map((event) => ({ ...event, tx })));
    const group: BlockGroup = {
      ...{ kind: 'block', chain: 'sol', epoch: 1, seq: this.seq, height, hash: this.parent },
      ...{ parentHash, time: height, source: 'http', observedAt: 0, anchors },
      txs: txs.map((_, index) => ({ id: `${id(height)}${id(index)}`, index, sender: id(0x5e) })),
      tokens: first
        ? [SOL, USDC, TOKEN].map((token) => ({ token, decimals: 6, symbol: null, name: null, totalSupply: null }))
        : [],
      pools: first ? this.pools() : [],
      events: events.map((event, ordinal) => ({ ...event, ordinal }) as ChainEvent),
    };
    return this.fold.apply(group, '') as FactsBlock;
  }

  retract(): FactsRetract {
    this.head--;
    const [height, hash] = [this.head, id(1_000 + this.seq - 1)];
    this.parent = hash;
    const seq = ++this.seq;
    const place = { height, hash, parentHash: id(1), time: height };
    return this.fold.apply(
      { kind: 'retract', chain: 'sol', epoch: 1, seq, fromSeq: seq - 1, ...place },
      '',
    ) as FactsRetract;
  }
}

/** At a price of one, with that much liquidity in a range. */
const anchor = (liquidity: bigint, tickLower: number, tickUpper: number): PoolAnchor => ({
  ...{ pool: RANGED, reserve0: units(1_000), reserve1: units(50_000) },
  concentrated: {
    ...{ sqrtPriceX96: sqrtRatioAtTick(0), tick: 0, liquidity: tickLower <= 0 && tickUpper > 0 ? liquidity : 0n },
    ticks: [
      { tick: tickLower, liquidityGross: liquidity, liquidityNet: liquidity },
      { tick: tickUpper, liquidityGross: liquidity, liquidityNet: -liquidity },
    ],
  },
});
const position = (liquidityDelta: bigint, tickLower: number, tickUpper: number, amount1 = 0): Told => ({
  ...{ kind: 'liquidity', pool: RANGED, owner: id(5), tickLower, tickUpper, liquidityDelta },
  ...{ amount0: 0n, amount1: units(amount1) },
});

const price = ({ prices }: Pick<FactsBlock, 'prices'>) => {
  const found = prices.find(({ token }) => token === TOKEN);
  return found && (found.spot === null ? null : { pool: found.pool, usd: Number(found.spot) / Number(ONE_E36) });
};

describe('a concentrated pool whose ranges are not known', () => {
  it('sets no price by what its vault holds far out of range', () => {
    const market = new Market();
    // 120,000 USDC in bins far below, and a trade of dust at $100.
    const facts = market.block([
      [vaults(RANGED, 0.02, 120_000)],
      [vaults(RANGED, 0.01, 120_001), swap(RANGED, -0.01, 1, 100)],
    ]);
    expect(price(facts)).toBeUndefined();
    expect(facts.trades).toMatchObject([{ pool: RANGED, uncounted: expect.any(String) }]);
    const more = market.block([[vaults(RANGED, 0.009, 120_001.1), swap(RANGED, -0.001, 0.1, 100)]]);
    expect(price(more)).toBeUndefined();
  });

  it('sets it by what trades paid in near the price, as long as that is there', () => {
    const market = new Market(false);
    market.block([[vaults(RANGED, 1_000, 50_000), swap(RANGED, 10, -10, 1)]]);
    const bought = market.block([[vaults(RANGED, 970, 50_030), swap(RANGED, -30, 30, 1.01)]]);
    expect(price(bought)).toMatchObject({ pool: RANGED });
    expect(bought.trades).toMatchObject([{ uncounted: null }]);
    // Sold back: ten are left, and then nothing.
    expect(price(market.block([[vaults(RANGED, 990, 50_010), swap(RANGED, 20, -20, 1.01)]]))).toMatchObject({
      pool: RANGED,
    });
    expect(price(market.block([[vaults(RANGED, 991, 50_009), swap(RANGED, 1, -1, 1)]]))).toBeNull();
    expect(price(market.retract())).toMatchObject({ pool: RANGED });
  });

  it.each([
    ['taken out of the vault', [[vaults(RANGED, 970, 9)]]],
    ['moved within the vault', [[{ kind: 'flow', pool: RANGED, amount0: 0n, amount1: units(-25) } as Told]]],
  ])('forgets what was %s', (_, txs) => {
    const market = new Market(false);
    market.block([[vaults(RANGED, 1_000, 30), swap(RANGED, 10, -10, 1)]]);
    expect(price(market.block([[vaults(RANGED, 970, 60), swap(RANGED, -30, 30, 1)]]))).toMatchObject({ pool: RANGED });
    expect(price(market.block(txs))).toBeNull();
    expect(price(market.retract())).toMatchObject({ pool: RANGED });
  });

  it('counts nothing that the same transaction takes back', () => {
    const market = new Market(false);
    market.block([[vaults(RANGED, 1_000, 50_000), swap(RANGED, 10, -10, 1)]]);
    const facts = market.block([
      [vaults(RANGED, 1_000, 50_000), swap(RANGED, -500, 500, 1), swap(RANGED, 500, -500, 1)],
    ]);
    expect(price(facts)).toBeUndefined();
    // Bought with 500, and the 500 taken out of the range again by its owner.
    expect(price(market.block([[vaults(RANGED, 500, 50_000), swap(RANGED, -500, 500, 1)]]))).toBeUndefined();
  });

  it('counts nothing that was paid far from the price', () => {
    const market = new Market(false);
    market.block([[vaults(RANGED, 1_000, 50_000), swap(RANGED, 10, -10, 1)]]);
    expect(price(market.block([[vaults(RANGED, 900, 50_150), swap(RANGED, -100, 150, 1.9)]]))).toMatchObject({
      pool: RANGED,
    });
    // What was paid around 1 is no bid at 50.
    expect(price(market.block([[vaults(RANGED, 899.9, 50_151), swap(RANGED, -0.1, 1, 50)]]))).toBeNull();
    expect(price(market.block([[vaults(RANGED, 899, 50_195), swap(RANGED, -0.9, 44, 51)]]))).toMatchObject({
      pool: RANGED,
    });
  });

  it('counts nothing that was paid far from the price, though it is back where it was', () => {
    const market = new Market(false);
    market.block([[vaults(RANGED, 100_000, 50_000), swap(RANGED, 10, -10, 1)]]);
    // Bids at a hundredth of the price, which an empty pool went down to without a swap.
    expect(price(market.block([[vaults(RANGED, 50_000, 50_500), swap(RANGED, -50_000, 500, 1)]]))).toBeUndefined();
  });

  it('is the same after a start over what was saved', async () => {
    const market = new Market(false);
    market.block([[vaults(RANGED, 1_000, 50_000), swap(RANGED, 10, -10, 1)]]);
    market.block([[vaults(RANGED, 970, 50_030), swap(RANGED, -30, 30, 1)]]);
    const again = ChainFold.over(market.fold.state);
    expect(await again.stateHash()).toBe(await market.fold.stateHash());
  });
});

describe('a concentrated pool whose ranges are known', () => {
  const deep = 10n ** 12n;

  it('sets the price by what they pay near it', () => {
    expect(price(new Market(false).block([], [anchor(deep, -800, 800)]))).toMatchObject({ pool: RANGED, usd: 1 });
    expect(price(new Market(false).block([], [anchor(deep, -80_000, -40_000)]))).toBeUndefined();
    expect(price(new Market(false).block([], [anchor(deep, 800, 1_600)]))).toBeUndefined();
  });

  it('follows positions and swaps from there on', () => {
    const market = new Market(false);
    market.block([], [anchor(deep, 800, 1_600)]);
    const added = market.block([[position(deep, -800, 0, 39_000)]]);
    expect(price(added)).toMatchObject({ pool: RANGED });
    const out = market.block([[position(-deep, -800, 0, -39_000)]]);
    expect(price(out)).toBeNull();
    expect(price(market.retract())).toMatchObject({ pool: RANGED });
    // Into the range above: its liquidity is active there.
    const at = { sqrtPriceX96: sqrtRatioAtTick(880), liquidity: 0n, tick: 880 };
    const up = market.block([[{ ...swap(RANGED, -3, 3, 1), after: at } as Told]]);
    expect(up.poolStates).toMatchObject([{ concentrated: { liquidity: deep, tick: 880 } }]);
    const down = market.block([
      [{ ...swap(RANGED, 3, -3, 1), after: { ...at, tick: 100, sqrtPriceX96: sqrtRatioAtTick(100) } } as Told],
    ]);
    expect(down.poolStates).toMatchObject([{ concentrated: { liquidity: 0n, tick: 100 } }]);
  });

  it.each([
    ['a change without its range', position(0n, 0, 0)],
    ['more taken out than was there', position(-2n * deep, -800, 800)],
    ['a position that was never put there', position(-deep, -720, 880)],
  ])('is taken for unknown after %s, until an account says more', (_, event) => {
    const market = new Market(false);
    market.block([], [anchor(deep, -800, 800)]);
    const facts = market.block([[event]]);
    expect(price(facts)).toBeNull();
    expect(facts.poolStates).toMatchObject([{ setApart: null, anchored: true, concentrated: { liquidity: 0n } }]);
    expect(price(market.retract())).toMatchObject({ pool: RANGED });
    market.block([[event]]);
    expect(price(market.block([], [anchor(deep, -800, 800)]))).toMatchObject({ pool: RANGED });
  });
});

describe('a concentrated pool without ticks', () => {
  it('has all of its liquidity in one range and counts as a constant product of the same reserves', () => {
    const priceWith = (usdc: number) =>
      price(new Market(false).block([[vaults(WHOLE, 100, usdc), swap(WHOLE, 1, -1, 1)]]));
    expect(priceWith(10)).toMatchObject({ pool: WHOLE });
    expect(priceWith(9)).toBeUndefined();
  });
});
