import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { propertySeeds } from '#libs/devkit/testing/seeded-random.js';
import type { TickRecord } from '#libs/protocol/blocks.js';
import { amountsOfLiquidity } from './liquidity-amounts.js';
import { sqrtRatioAtTick, tickAtSqrtRatio } from './tick-math.js';

interface Range {
  lower: number;
  upper: number;
  liquidity: bigint;
}

/** What one position holds, as the periphery's LiquidityAmounts computes it. */
function held({ lower, upper, liquidity }: Range, price: bigint): { amount0: bigint; amount1: bigint } {
  const [a, b] = [sqrtRatioAtTick(lower), sqrtRatioAtTick(upper)];
  const from = price < a ? a : price > b ? b : price;
  return {
    amount0: ((liquidity << 96n) * (b - from)) / b / from,
    amount1: (liquidity * (from - a)) >> 96n,
  };
}

function ticksOf(ranges: readonly Range[]): TickRecord[] {
  const ticks = new Map<number, TickRecord>();
  for (const { lower, upper, liquidity } of ranges) {
    for (const [tick, net] of [
      [lower, liquidity],
      [upper, -liquidity],
    ] as const) {
      const known = ticks.get(tick) ?? { tick, liquidityGross: 0n, liquidityNet: 0n };
      ticks.set(tick, {
        tick,
        liquidityGross: known.liquidityGross + liquidity,
        liquidityNet: known.liquidityNet + net,
      });
    }
  }
  return [...ticks.values()];
}

const distance = (a: bigint, b: bigint): bigint => (a > b ? a - b : b - a);

describe('amounts that liquidity holds', () => {
  it.each(propertySeeds(40))('are the sum over positions, to a unit for each (seed %s)', (seed) => {
    const random = new SeededRandom(seed);
    const ranges = Array.from({ length: 1 + random.int(12) }, (): Range => {
      const lower = (random.int(2_000) - 1_000) * 60;
      return { lower, upper: lower + 60 * (1 + random.int(500)), liquidity: BigInt(1 + random.int(2 ** 31)) << 40n };
    });
    const tick = random.int(120_000) - 60_000;
    const price = (sqrtRatioAtTick(tick) * BigInt(1_000_000 + random.int(49))) / 1_000_000n;
    const found = amountsOfLiquidity(price, tickAtSqrtRatio(price), ticksOf(ranges));
    let [amount0, amount1] = [0n, 0n];
    for (const range of ranges) {
      const one = held(range, price);
      amount0 += one.amount0;
      amount1 += one.amount1;
    }
    const tolerance = BigInt(2 * ranges.length + 1);
    expect(distance(found.amount0, amount0)).toBeLessThanOrEqual(tolerance);
    expect(distance(found.amount1, amount1)).toBeLessThanOrEqual(tolerance);
    expect(amountsOfLiquidity(price, tickAtSqrtRatio(price), ticksOf(ranges.reverse()))).toEqual(found);
  });

  it('are on one side alone where the price is outside every range', () => {
    const ticks = ticksOf([{ lower: -600, upper: 600, liquidity: 10n ** 18n }]);
    expect(amountsOfLiquidity(sqrtRatioAtTick(-900), -900, ticks).amount1).toBe(0n);
    expect(amountsOfLiquidity(sqrtRatioAtTick(900), 900, ticks).amount0).toBe(0n);
    // At a boundary that was reached from above the tick is one below the price.
    const edge = amountsOfLiquidity(sqrtRatioAtTick(600), 599, ticks);
    expect(edge).toEqual(amountsOfLiquidity(sqrtRatioAtTick(600), 600, ticks));
    expect(amountsOfLiquidity(sqrtRatioAtTick(0), 0, [])).toEqual({ amount0: 0n, amount1: 0n });
  });
});
