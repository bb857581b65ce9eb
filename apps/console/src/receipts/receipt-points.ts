import type { ShownReceipt } from './shown-receipt.js';

/** A dot of the chart: when the swap was executed and by how many basis points it differs from its quote. */
export interface ReceiptPoint {
  readonly id: string;
  /** Unix ms. */
  readonly time: number;
  readonly bps: number;
}

/** Executed ones whose difference is known, oldest first. */
export function receiptPoints(receipts: readonly ShownReceipt[]): ReceiptPoint[] {
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

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((count) => count * DAY),
];

/** Round moments between the two, at most `most` of them. */
export function timeTicks({ from, to }: { from: number; to: number }, most: number): { times: number[]; step: number } {
  const step = STEPS.find((candidate) => (to - from) / candidate <= most) ?? (to - from) / most;
  const first = Math.ceil(from / step) * step;
  const count = Math.floor((to - first) / step) + 1;
  return { times: Array.from({ length: Math.min(most, count) }, (_, index) => first + index * step), step };
}

/** One moment alone is in the middle. */
export function timeScale(points: readonly Pick<ReceiptPoint, 'time'>[]): { from: number; to: number } {
  const [first, last] = [points[0]?.time ?? 0, points[points.length - 1]?.time ?? 0];
  const margin = Math.max(30_000, (last - first) * 0.04);
  return { from: first - margin, to: last + margin };
}
