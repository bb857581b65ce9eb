import { createRequire } from 'node:module';
import {
  expectLeastInput,
  expectNoThrow,
  QuoteWorld,
  readPool,
} from '#libs/chain/market-ports/solana/test/quote-world.js';
import { recordedEvents } from '#libs/chain/market-ports/solana/test/recorded-events.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { raydiumLaunchlabCurves } from './quote.js';
import { bn, FIXED, LINEAR, PRODUCT, poolIn, randomShape, type Shape } from './test/random-pool.js';

const { Curve } = createRequire(import.meta.url)('@raydium-io/raydium-sdk-v2');

const Q64 = 2n ** 64n;
const int = (value: { toString(): string }) => BigInt(value.toString());

/** How much more an SDK's root, rounded to the nearest, is than one that is rounded down. */
function roundedUp(quote: bigint, virtualBase: bigint): bigint {
  const square = (2n * quote * Q64) / virtualBase;
  let [low, high] = [0n, 1n << 80n];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle * middle <= square) low = middle;
    else high = middle;
  }
  // The nearest whole number is the next one where the square is above that of the half between them.
  return 4n * square > (2n * low + 1n) ** 2n ? 1n : 0n;
}

const { events } = recordedEvents;

describe('quotes of Raydium LaunchLab', () => {
  it('are those of the trades recorded on mainnet, to the unit', () => {
    const trades = events.filter(({ test }) => test.includes('launchpad'));
    expect(trades).toHaveLength(2);
    const world = new QuoteWorld(new SeededRandom(1));
    for (const { fields } of trades) {
      const number = (name: string) => BigInt(fields[name] ?? '0');
      const { pool } = poolIn(world, {
        kind: PRODUCT,
        virtualBase: number('virtual_base'),
        virtualQuote: number('virtual_quote'),
        totalBaseSell: number('total_base_sell'),
        realBase: number('real_base_before'),
        realQuote: number('real_quote_before'),
        protocol: 2_500n,
        platform: 10_000n,
        creator: fields.creator_fee === undefined ? 0n : 500n,
      });
      const state = readPool(raydiumLaunchlabCurves, pool, world)!;
      const fee = number('protocol_fee') + number('platform_fee') + number('creator_fee');
      expect(state.exactIn(false, number('amount_in'))).toEqual({
        amountIn: number('amount_in'),
        amountOut: number('amount_out'),
        fee,
        feeSide: 'input',
      });
      expect(number('amount_in') - fee).toBe(number('real_quote_after') - number('real_quote_before'));
      expectLeastInput(state, false, number('amount_out'));
    }
  });

  it('agree with the SDK on random curves of every kind, and an exact output costs the least input', () => {
    const counts = { buys: [0, 0, 0], sells: [0, 0, 0], least: [0, 0, 0], rounded: 0 };
    for (const seed of propertySeeds(scaled(1_000, 90))) {
      const world = new QuoteWorld(new SeededRandom(seed));
      const shape = randomShape(world);
      const { kind, realBase, realQuote, virtualBase } = shape;
      const { pool, asked } = poolIn(world, shape);
      const state = readPool(raydiumLaunchlabCurves, pool, world)!;
      const left = shape.totalBaseSell - realBase;
      expect([state.reserveA, state.reserveB]).toEqual([left, realQuote]);

      const spent = world.amount(44);
      const bought = state.exactIn(false, spent);
      const theirs = Curve.buyExactIn({ ...asked, amountB: bn(spent) });
      const up = kind === LINEAR ? roundedUp(realQuote + spent - (bought?.fee ?? 0n), virtualBase) : 0n;
      if (bought !== null && bought.amountOut < left) {
        // The SDK rounds the root of a linear price to the nearest token instead of down: one more than the price gives.
        expect({ seed, kind, spent, bought: bought.amountOut + up }).toEqual({
          seed,
          kind,
          spent,
          bought: int(theirs.amountA.amount),
        });
        const fees: { toString(): string }[] = Object.values(theirs.splitFee);
        expect(bought.fee).toBe(fees.map(int).reduce((sum, each) => sum + each));
        counts.buys[kind]!++;
        if (up > 0n) counts.rounded++;
      }
      const wanted = world.below(left) + 1n;
      if (expectLeastInput(state, false, wanted)) {
        counts.least[kind]!++;
        const cost = state.exactOut(false, wanted)!.amountIn;
        const asks = int(Curve.buyExactOut({ ...asked, amountA: bn(wanted) }).amountB);
        // Where rounding has left the curve more than it asks, the SDK takes nothing or less; a trade takes one unit.
        expect({ seed, kind, wanted, cost }).toEqual({ seed, kind, wanted, cost: asks > 0n ? asks : 1n });
      }

      const sold = world.below(realBase) + 1n;
      const got = state.exactIn(true, sold);
      if (got !== null) {
        const amount = int(Curve.sellExactIn({ ...asked, amountA: bn(sold) }).amountB);
        expect({ seed, kind, sold, got: got.amountOut }).toEqual({ seed, kind, sold, got: amount });
        counts.sells[kind]!++;
      }
      const amountOut = world.below(realQuote) + 1n;
      if (!expectLeastInput(state, true, amountOut)) continue;
      counts.least[kind]!++;
      const quoted = state.exactOut(true, amountOut)!;
      const rest = realQuote - quoted.amountOut - quoted.fee;
      const more = kind === LINEAR ? roundedUp(rest, virtualBase) : 0n;
      const asks = int(Curve.sellExactOut({ ...asked, amountB: bn(amountOut) }).amountA.amount);
      const cost = quoted.amountIn;
      expect({ seed, kind, amountOut, cost: asks + more }).toEqual({ seed, kind, amountOut, cost });
    }
    for (const each of [...counts.buys, ...counts.sells, ...counts.least]) expect(each).toBeGreaterThan(0);
    expect(counts.rounded).toBeGreaterThan(0);
  });

  it('are null where the pool no longer raises funds, has fewer tokens left, or would take fewer back', () => {
    const world = new QuoteWorld(new SeededRandom(2));
    const shape: Shape = {
      kind: PRODUCT,
      virtualBase: 2_000_000n,
      virtualQuote: 1_000_000n,
      totalBaseSell: 1_000_000n,
      realBase: 500_000n,
      realQuote: 333_334n,
      protocol: 2_500n,
      platform: 10_000n,
      creator: 0n,
    };
    for (const status of [1, 2]) {
      expect(readPool(raydiumLaunchlabCurves, poolIn(world, { ...shape, status }).pool, world)).toBeNull();
    }
    const state = readPool(raydiumLaunchlabCurves, poolIn(world, shape).pool, world)!;
    const all = state.exactOut(false, 500_000n)!;
    expect(state.exactIn(false, all.amountIn)).toMatchObject({ amountOut: 500_000n });
    expect([state.exactOut(false, 500_001n), state.exactIn(false, all.amountIn * 2n)]).toEqual([null, null]);
    expect([state.exactIn(true, 500_000n) !== null, state.exactIn(true, 500_001n)]).toEqual([true, null]);
    const greedy = poolIn(world, { ...shape, platform: 997_500n });
    expect(readPool(raydiumLaunchlabCurves, greedy.pool, world)).toBeNull();
    const unsound = poolIn(world, { ...shape, realBase: 1_000_001n });
    expect(readPool(raydiumLaunchlabCurves, unsound.pool, world)).toBeNull();
  });

  it('of a platform written before creators had a rate know none; malformed accounts give null and never throw', () => {
    const world = new QuoteWorld(new SeededRandom(3));
    const { pool, platform } = poolIn(world, {
      kind: FIXED,
      virtualBase: 1_000_000n,
      virtualQuote: 1_000_000n,
      totalBaseSell: 1_000_000n,
      realBase: 1_000n,
      realQuote: 1_000n,
      protocol: 0n,
      platform: 10_000n,
      creator: 20_000n,
    });
    expect(readPool(raydiumLaunchlabCurves, pool, world)!.exactIn(false, 100n)!.fee).toBe(3n);
    const { data, owner } = world.known.get(platform)!;
    world.put(platform, owner, data.subarray(0, 720));
    expect(readPool(raydiumLaunchlabCurves, pool, world)!.exactIn(false, 100n)!.fee).toBe(1n);
    world.put(platform, owner, data);
    expectNoThrow(raydiumLaunchlabCurves, pool, world);
  });
});
