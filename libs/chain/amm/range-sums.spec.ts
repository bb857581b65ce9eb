import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import type { TickRecord } from '#libs/protocol/blocks.js';
import { quoteDepth } from './quote-depth.js';
import { RangeSums } from './range-sums.js';
import { MAX_TICK, MIN_TICK, sqrtRatioAtTick, tickAtSqrtRatio } from './tick-math.js';

const seed = testSeed();

/** Ticks of random positions, some of them without end. */
function randomTicks(random: SeededRandom): TickRecord[] {
  const width = random.pick([60, 6_000, MAX_TICK]);
  const middle = random.int(-200_000, 200_000);
  const bound = (tick: number): number => Math.max(MIN_TICK, Math.min(MAX_TICK, tick));
  const byTick = new Map<number, TickRecord>();
  const move = (tick: number, gross: bigint, net: bigint): void => {
    const { liquidityGross, liquidityNet } = byTick.get(tick) ?? { liquidityGross: 0n, liquidityNet: 0n };
    byTick.set(tick, { tick, liquidityGross: liquidityGross + gross, liquidityNet: liquidityNet + net });
  };
  for (let position = random.int(0, 20); position > 0; position--) {
    const [low, high] = [bound(middle - random.int(0, width)), bound(middle + random.int(1, width))];
    const liquidity = random.bits(128);
    move(low, liquidity, liquidity);
    move(high, liquidity, -liquidity);
  }
  return [...byTick.values()].sort((a, b) => a.tick - b.tick);
}

describe(`sums over ranges (seed ${seed})`, () => {
  it('give the depth that a walk over the ticks gives, wherever the price is', () => {
    const random = new SeededRandom(seed);
    let [compared, walked] = [0, 0];
    for (let round = 0; round < scaled(400, 40); round++) {
      const ticks = randomTicks(random);
      const sums = new RangeSums(ticks);
      for (let state = 0; state < 12; state++) {
        const near = ticks.length > 0 && random.chance(0.8) ? random.pick(ticks).tick : random.int(MIN_TICK, MAX_TICK);
        const asked = Math.max(MIN_TICK, Math.min(MAX_TICK - 1, near + random.int(-2, 2)));
        const sqrtPriceX96 = sqrtRatioAtTick(asked) + (random.chance(0.5) ? random.bits(60) : 0n);
        const tick = random.chance(0.9) ? tickAtSqrtRatio(sqrtPriceX96) : random.int(MIN_TICK, MAX_TICK);
        let liquidity = 0n;
        for (const one of ticks) if (one.tick <= tick) liquidity += one.liquidityNet;
        // A pool may state what its ticks do not say.
        if (random.chance(0.1)) liquidity = random.bits(128);
        for (const ofToken0 of [true, false]) {
          const said = sums.depth({ sqrtPriceX96, tick, liquidity }, ofToken0);
          const whole = quoteDepth({ sqrtPriceX96, tick, liquidity, ticks }, ofToken0);
          if (said === null) walked++;
          else {
            compared++;
            expect([seed, round, state, ofToken0, said]).toEqual([seed, round, state, ofToken0, whole]);
          }
        }
      }
    }
    expect(compared).toBeGreaterThan(2 * walked);
    expect(walked).toBeGreaterThan(0);
  });
});
