import type { EvmReceipt } from '#libs/protocol/rest/evm/receipt-body.js';

/** A dot of the chart: when the swap was executed and by how many basis points it differs from its quote. */
export interface ReceiptPoint {
  readonly id: string;
  /** Unix ms. */
  readonly time: number;
  readonly bps: number;
}

/** Executed ones whose difference is known, oldest first. */
export function receiptPoints(receipts: readonly EvmReceipt[]): ReceiptPoint[] {
  const points = receipts.flatMap(({ id, executed }) =>
    executed === null || executed.differenceBps === null
      ? []
      : [{ id, time: Date.parse(executed.time), bps: executed.differenceBps }],
  );
  return points.sort((one, other) => one.time - other.time);
}

export interface Scale {
  readonly from: number;
  readonly to: number;
  /** Where the lines of the grid are, zero among them. */
  readonly lines: readonly number[];
}

const NICE = [1, 2, 2.5, 5, 10];
/** A difference below it is no difference: the chart of perfect swaps is a line at zero, not a picture of noise. */
const LEAST_BPS = 1;

/** From the lowest to the highest difference, with zero in it, in steps that people count in. */
export function bpsScale(points: readonly Pick<ReceiptPoint, 'bps'>[]): Scale {
  const values = points.map(({ bps }) => bps);
  const [low, high] = [Math.min(-LEAST_BPS, ...values), Math.max(LEAST_BPS, ...values)];
  const step = niceStep((high - low) / 4);
  const [from, to] = [Math.floor(low / step), Math.ceil(high / step)];
  const lines = Array.from({ length: to - from + 1 }, (_, index) => (from + index) * step);
  return { from: from * step, to: to * step, lines };
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * NICE.find((factor) => factor * power >= rough * 0.999)!;
}

/** One moment alone stands in the middle. */
export function timeScale(points: readonly Pick<ReceiptPoint, 'time'>[]): { from: number; to: number } {
  const [first, last] = [points[0]?.time ?? 0, points[points.length - 1]?.time ?? 0];
  const margin = Math.max(30_000, (last - first) * 0.04);
  return { from: first - margin, to: last + margin };
}
