import { amountsOfLiquidity } from '#libs/chain/amm/liquidity-amounts.js';
import { sqrtRatioAtTick } from '#libs/chain/amm/tick-math.js';
import { ONE_E36 } from '#libs/core/money.js';
import type { BlockGroup, ChainEvent, PoolKind, PoolRecord } from '#libs/protocol/blocks.js';
import type { FactsBlock, FactsRetract } from '#libs/protocol/facts.js';
import { ChainFold } from './chain-fold.js';

const id = (n: number, bytes = 20): string => n.toString(16).padStart(bytes * 2, '0');
const COIN = id(0xc0);
const USD = id(0xa1);
const TOKEN = id(0x70);
const POOL = id(0x9001, 32);

type Unplaced<E = Extract<ChainEvent, { pool: string }>> = E extends object ? Omit<E, 'tx' | 'ordinal'> : never;

/** A fold in which the coin is worth 2,000 and the token trades against the coin in one pool of a kind. */
class OnePool {
  readonly fold = ChainFold.empty();
  private seq = 0;
  private head = 9;
  private parent = id(9, 32);

  constructor(readonly kind: PoolKind) {
    this.fold.apply(
      {
        ...{ kind: 'epoch', chain: 'eth', epoch: 1, seq: 0, height: 9, hash: id(9, 32), parentHash: '', time: 0 },
        reference: {
          ...{ family: 'evm', genesisHash: id(1, 32), startHeight: 10, decoderVersion: 1, stables: [USD] },
          coin: { token: COIN, symbol: 'COIN', decimals: 18 },
          rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
        },
      },
      '',
    );
  }

  record(pool: string, kind: PoolKind, token0: string, token1: string): PoolRecord {
    return { pool, venue: 'any', kind, token0, token1, feePpm: 3000, tickSpacing: 60, created: true };
  }

  block(events: Unplaced[]): FactsBlock {
    const first = this.seq === 0;
    const height = ++this.head;
    const parentHash = this.parent;
    this.parent = id(1_000 + ++this.seq, 32);
    const group: BlockGroup = {
      ...{ kind: 'block', chain: 'eth', epoch: 1, seq: this.seq, height, hash: this.parent },
      ...{ parentHash, time: height, source: 'http', observedAt: 0, anchors: [] },
      txs: [{ id: id(height, 32), index: 0, sender: id(0x5e) }],
      tokens: first
        ? [COIN, USD, TOKEN].map((token) => ({ token, decimals: 18, symbol: null, name: null, totalSupply: null }))
        : [],
      pools: first
        ? [this.record(id(1), 'constant-product', USD, COIN), this.record(POOL, this.kind, TOKEN, COIN)]
        : [],
      events: [
        ...(first ? [{ kind: 'reserves', pool: id(1), reserve0: whole(2_000_000), reserve1: whole(1_000) }] : []),
        ...events,
      ].map((event, ordinal) => ({ ...event, tx: 0, ordinal }) as ChainEvent),
    };
    return this.fold.apply(group, '') as FactsBlock;
  }

  /** Takes the blocks above the first one back. */
  retract(): FactsRetract {
    this.head = 10;
    this.parent = id(1_001, 32);
    const seq = ++this.seq;
    const place = { height: 10, hash: this.parent, parentHash: id(9, 32), time: 10 };
    return this.fold.apply({ kind: 'retract', chain: 'eth', epoch: 1, seq, fromSeq: 2, ...place }, '') as FactsRetract;
  }
}

const whole = (amount: number): bigint => BigInt(amount) * 10n ** 18n;
const initialize = { kind: 'initialize', pool: POOL, sqrtPriceX96: sqrtRatioAtTick(0), tick: 0 } as const;
const add = (liquidityDelta: bigint) =>
  ({
    kind: 'liquidity',
    ...{ pool: POOL, owner: id(5), tickLower: -600, tickUpper: 600, liquidityDelta },
    ...{ amount0: 0n, amount1: 0n },
  }) as const;
const swapTo = (tick: number, amount0: bigint, amount1: bigint, liquidity: bigint) =>
  ({
    kind: 'swap',
    ...{ pool: POOL, amount0, amount1, sender: id(6), recipient: id(7) },
    after: { sqrtPriceX96: sqrtRatioAtTick(tick), liquidity, tick },
  }) as const;

describe('pools whose amounts follow from their liquidity', () => {
  const liquidity = whole(100_000);
  const ticks = [
    { tick: -600, liquidityGross: liquidity, liquidityNet: liquidity },
    { tick: 600, liquidityGross: liquidity, liquidityNet: -liquidity },
  ];
  const story = (kind: PoolKind) => {
    const market = new OnePool(kind);
    return { market, facts: market.block([initialize, add(liquidity)]) };
  };
  const held = (tick: number) => amountsOfLiquidity(sqrtRatioAtTick(tick), tick, ticks);

  it('hold what their ranges hold at their price, whatever was paid in and out', () => {
    const { market, facts } = story('shared');
    const stateOf = ({ poolStates }: Pick<FactsBlock, 'poolStates'>) => poolStates.find(({ pool }) => pool === POOL)!;
    const { amount0, amount1 } = held(0);
    expect(stateOf(facts)).toMatchObject({ reserve0: amount0, reserve1: amount1, anchored: true });
    expect(amount0 > whole(2_900)).toBe(true);
    const moved = market.block([swapTo(-100, whole(500), -whole(498), liquidity)]);
    expect(stateOf(moved)).toMatchObject({ reserve0: held(-100).amount0, reserve1: held(-100).amount1 });
    expect(stateOf(market.retract())).toMatchObject({ reserve0: amount0, reserve1: amount1 });
    expect(stateOf(market.block([add(-liquidity)]))).toMatchObject({ reserve0: 0n, reserve1: 0n });
  });

  it('set the price of their tokens, and their trades count', () => {
    const { market, facts } = story('shared');
    expect(facts.prices).toMatchObject([{ token: TOKEN, pool: POOL, quote: COIN, spot: ONE_E36, level: 2 }]);
    const { trades } = market.block([swapTo(-100, whole(500), -whole(498), liquidity)]);
    expect(trades).toMatchObject([{ pool: POOL, uncounted: null, baseAmount: whole(500), side: 'sell' }]);
  });

  it('set no price where hooks may change what a swap pays: the trades are shown and do not count', async () => {
    const { market, facts } = story('hooked');
    expect(facts.prices).toEqual([]);
    expect(facts.poolStates.map(({ pool }) => pool).sort()).toEqual([id(1), POOL].sort());
    const moved = market.block([swapTo(-100, whole(500), -whole(498), liquidity)]);
    expect(moved.trades).toMatchObject([{ pool: POOL, uncounted: 'hooked', volumeUsd: expect.any(BigInt) }]);
    expect(moved.prices).toEqual([]);
    expect(market.retract().poolStates.map(({ pool }) => pool)).toEqual([POOL]);
    const again = ChainFold.over(market.fold.state);
    expect(await again.stateHash()).toBe(await market.fold.stateHash());
    expect(again.pool(POOL)).toEqual(market.fold.pool(POOL));
  });
});

describe.each(['concentrated', 'shared'] as const)('liquidity in ranges (%s)', (kind) => {
  const dust = 10n ** 12n;
  const add = (tickLower: number, tickUpper: number, liquidityDelta: bigint, amount0: bigint, amount1: bigint) =>
    ({
      kind: 'liquidity',
      ...{ pool: POOL, owner: id(5), tickLower, tickUpper, liquidityDelta, amount0, amount1 },
    }) as const;
  const state = (tick: number) =>
    ({ kind: 'initialize', pool: POOL, sqrtPriceX96: sqrtRatioAtTick(tick), tick }) as const;
  const price = (facts: FactsBlock) => facts.prices.find(({ token }) => token === TOKEN)?.spot ?? null;

  it('sets no price where all but dust is far below the price and can be taken back', () => {
    const market = new OnePool(kind);
    // About 1,000 coins that buy the token at a ten-thousandth of its price.
    const far = add(-96_000, -92_040, whole(600_000), 0n, whole(1_000));
    const facts = market.block([state(0), add(-600, 600, dust, dust / 30n, dust / 30n), far]);
    expect(price(facts)).toBeNull();
    expect(price(market.block([swapTo(500, -(dust / 50n), dust / 49n, dust)]))).toBeNull();
    const { trades } = market.block([swapTo(100, whole(1), -whole(1), dust)]);
    expect(trades).toMatchObject([{ uncounted: 'shallow' }]);
  });

  it('sets the price where it can be sold to, as far as a quarter of it', () => {
    for (const [tickLower, tickUpper] of [
      [-600, 600],
      [-600, 0],
      [-13_800, -1_200],
    ] as const) {
      const market = new OnePool(kind);
      const range = add(tickLower, tickUpper, whole(1_000), whole(100), whole(400));
      expect(price(market.block([state(0), range]))).toBe(ONE_E36);
    }
    const market = new OnePool(kind);
    const facts = market.block([state(0), add(-18_000, -13_920, whole(1_000), 0n, whole(400))]);
    expect(price(facts)).toBeNull();
  });

  it('gives its price back when it is gone, and with a retraction when it was not', () => {
    const market = new OnePool(kind);
    market.block([state(0), add(-600, 600, whole(1_000), whole(30), whole(30))]);
    const gone = market.block([add(-600, 600, -whole(1_000), -whole(30), -whole(30))]);
    expect(gone.prices).toMatchObject([{ token: TOKEN, pool: null, level: 4 }]);
    expect(market.retract().prices).toMatchObject([{ token: TOKEN, pool: POOL, spot: ONE_E36 }]);
  });
});

describe('stable pools', () => {
  it('price by the slope of their curve, not by the ratio of their reserves', () => {
    const facts = new OnePool('stable').block([
      { kind: 'reserves', pool: POOL, reserve0: whole(1_000), reserve1: whole(2_000) },
    ]);
    expect(facts.prices).toMatchObject([
      { token: TOKEN, pool: POOL, quote: COIN, spot: (14n * ONE_E36) / 13n, level: 2 },
    ]);
    expect(facts.poolStates.find(({ pool }) => pool === POOL)!.concentrated).toBeNull();
  });
});
