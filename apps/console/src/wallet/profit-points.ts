import type { ProfitBucket } from '#libs/serve/contract/rest/profit-body.js';

/** A bar of the chart of profits: where it is and how it is drawn, in shares of the drawing (0-1, from the top left). */
interface ProfitBar {
  readonly bucket: ProfitBucket;
  readonly x: number;
  readonly width: number;
  readonly y: number;
  readonly height: number;
}

export interface ProfitShape {
  readonly bars: readonly ProfitBar[];
  /** Height of the line of zero. */
  readonly zero: number;
  /** The sum over time, as the path of a line. */
  readonly line: readonly { readonly x: number; readonly y: number }[];
  readonly highest: number;
  readonly lowest: number;
}

/** Bars of each bucket and the line of their sum on one scale that holds zero. Null where no bucket traded. */
export function profitShape(series: readonly ProfitBucket[]): ProfitShape | null {
  if (!series.some(({ buys, sells }) => buys + sells > 0)) return null;
  const values = series.flatMap(({ realizedUsd, cumulativeUsd }) => [realizedUsd, cumulativeUsd]);
  const [highest, lowest] = [Math.max(0, ...values), Math.min(0, ...values)];
  const span = highest - lowest || 1;
  const y = (value: number): number => (highest - value) / span;
  const width = 1 / series.length;
  const bars = series.map((bucket, index) => {
    const [from, to] = [y(Math.max(0, bucket.realizedUsd)), y(Math.min(0, bucket.realizedUsd))];
    return { bucket, x: index * width, width, y: from, height: to - from };
  });
  const line = series.map(({ cumulativeUsd }, index) => ({ x: (index + 0.5) * width, y: y(cumulativeUsd) }));
  return { bars, zero: y(0), line, highest, lowest };
}
