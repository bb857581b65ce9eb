import type { CurveStretch } from '../real-curve.js';

const ONE = 2 ** 64;
const PPM = 1e6;

/** The parts that a fee leaves, of the input or of the output. */
export const keptAfter = (feePpm: bigint, feeOnInput: boolean): Pick<CurveStretch, 'keptIn' | 'keptOut'> => {
  const kept = (PPM - Number(feePpm)) / PPM;
  return feeOnInput ? { keptIn: kept, keptOut: 1 } : { keptIn: 1, keptOut: kept };
};

/** From one price to another as real numbers, prices as sqrt in Q64.64, over a range of constant liquidity above zero. */
export function rangeStretch(
  from: bigint,
  to: bigint,
  liquidity: bigint,
  aToB: boolean,
  kept: Pick<CurveStretch, 'keptIn' | 'keptOut'>,
): CurveStretch {
  const depth = Number(liquidity);
  const [start, end] = [Number(from) / ONE, Number(to) / ONE];
  const moved = Number(from > to ? from - to : to - from) / ONE;
  return aToB
    ? { price: start * start, bend: start / depth, net: ((depth / start) * moved) / end, ...kept }
    : { price: 1 / (start * start), bend: 1 / (depth * start), net: depth * moved, ...kept };
}
