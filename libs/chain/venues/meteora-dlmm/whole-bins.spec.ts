import { orNull } from '#libs/chain/amm/refusal.js';
import { oneSeedAsked, propertySeeds, SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { binExactIn, binExactOut, type SwapBin, type SwapSide } from './bin-swap.js';
import { BinSum, WholeBins } from './whole-bins.js';

/** A swap that begins after the bins which it takes whole, compared with one that goes through every bin. */
describe('whole bins of a DLMM swap', () => {
  type Step = typeof binExactIn;

  function walk(
    bins: readonly SwapBin[],
    side: SwapSide,
    amount: bigint,
    input: boolean,
    from = 0,
    sum = new BinSum(),
  ) {
    return orNull(() => {
      const name = input ? 'amountIn' : 'amountOut';
      const step: Step = input ? binExactIn : binExactOut;
      let left = amount - sum[name];
      for (let i = from; i < bins.length && left > 0n; i++) {
        const swap = step(bins[i]!, left, side);
        left -= swap[name];
        sum.add(swap);
      }
      return left > 0n ? null : { ...sum };
    });
  }

  function randomBins(random: SeededRandom): SwapBin[] {
    const tiny = random.chance(0.5);
    return Array.from({ length: 1 + random.below(40) }, (_, id) => {
      const layers = Array.from({ length: 1 + random.below(3) }, () =>
        tiny ? BigInt(1 + random.below(20)) : BigInt(1 + random.below(1_000_000)) ** 3n,
      );
      const price = random.chance(0.02)
        ? 0n
        : (1n << 64n) + BigInt(random.below(1_000_000)) * (1n << BigInt(random.below(46)));
      const rate = BigInt(random.pick([0, 1, 2_500_000, 99_999_999, 100_000_000]));
      return { id, price, rate, layers, total: layers.reduce((sum, layer) => sum + layer, 0n) };
    });
  }

  /** Sums after each bin that can be taken whole. */
  function sumsOf(bins: readonly SwapBin[], side: SwapSide): BinSum[] {
    const sums = [new BinSum()];
    for (const bin of bins) {
      const next = sums.at(-1)!.copy();
      const taken = orNull(() => {
        next.add(binExactIn(bin, (1n << 64n) - 1n, side));
        return next;
      });
      if (taken === null) break;
      sums.push(taken);
    }
    return sums;
  }

  const met = { given: 0, refused: 0, late: 0 };

  it.each(propertySeeds(100))('is the same to the unit, also where the last bin is just taken (seed %i)', (seed) => {
    const random = new SeededRandom(seed);
    const bins = randomBins(random);
    const side = { xToY: random.chance(0.5), feeOnInput: random.chance(0.5) };
    const whole = new WholeBins(bins, side);
    const sums = sumsOf(bins, side);
    for (let n = 0; n < 60; n++) {
      const input = random.chance(0.5);
      const near = random.pick(sums)[input ? 'amountIn' : 'amountOut'] + BigInt(random.below(9) - 4);
      const amount = random.chance(0.8) ? near : BigInt(1 + random.below(1_000_000_000));
      if (amount <= 0n) continue;
      const { passed, sum } = input ? whole.forInput(amount) : whole.forOutput(amount);
      const expected = walk(bins, side, amount, input);
      expect(walk(bins, side, amount, input, passed, sum)).toEqual(expected);
      if (expected === null) met.refused++;
      else met.given++;
      if (passed > 5) met.late++;
    }
  });

  it('has met swaps that are given, refused and begin late', () => {
    if (oneSeedAsked) return;
    expect(Object.entries(met).filter(([, count]) => count < 10)).toEqual([]);
  });
});
