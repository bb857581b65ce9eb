import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { type E36, ONE_E36 } from '#libs/core/money.js';
import { bucketEnd, type Candle, type Interval } from '#libs/pipeline/fold/candles.js';
import type { ChainView } from './chain-view.js';

/**
 * Prices of a stablecoin's candles: its own price at the end of each block with a trade of it. A trade of a stable says what the
 * other token costs, so that it moves no price of the stable itself; what the stable is worth is the reference price, which is 1
 * until pools agree that it is not.
 */
export const isStable = ({ stables }: ChainSpec, token: Hex): boolean =>
  stables.some((stable) => stable.token === token);

/** The price at the end of each group of the tail. */
export async function stablePath(view: ChainView, token: Hex): Promise<readonly (E36 | null)[]> {
  const stated = view.groups.map(({ facts }) => facts.references.find((reference) => reference.token === token));
  let price: E36 | null = ONE_E36;
  if (stated.length > 0 && stated[0] === undefined) {
    const before = await view.reads.references(view.tables);
    price = before.length === 0 ? ONE_E36 : (before.find((reference) => reference.token === token)?.usd ?? null);
  }
  return stated.map((reference) => {
    if (reference !== undefined) price = reference.usd;
    return price;
  });
}

/** Candles of the tables with the prices of the stable. Only buckets in which its price changed need a look at their trades. */
export async function stableCandles(
  view: ChainView,
  { token, interval }: { token: Hex; interval: Interval },
  candles: readonly Candle[],
): Promise<Candle[]> {
  if (candles.length === 0) return [];
  const endOf = (index: number): number => bucketEnd(interval, candles.at(index)!.time);
  const range = { token, interval, fromTime: candles[0]!.time, toTime: endOf(-1) };
  const [starts, spans] = await Promise.all([
    view.reads.referenceAt(
      view.tables,
      token,
      candles.map(({ time }) => time),
    ),
    view.reads.referenceSpans(view.tables, range),
  ]);
  const spanOf = new Map(spans.map((span) => [span.time, span]));
  const flat = candles.map(({ time }, index) => {
    const start = starts[index] ?? ONE_E36;
    const span = spanOf.get(time);
    return span === undefined || (span.low === start && span.high === start) ? start : null;
  });
  const [first, last] = [flat.indexOf(null), flat.lastIndexOf(null)];
  const moved =
    first < 0
      ? []
      : await view.reads.referenceAtTrades(view.tables, {
          ...{ token, interval, fromTime: candles[first]!.time, toTime: endOf(last) },
        });
  const movedOf = new Map(moved.map((prices) => [prices.time, prices]));
  return candles.map((candle, index) => {
    const price = flat[index]!;
    if (price === null) return { ...candle, ...movedOf.get(candle.time) };
    return { ...candle, open: price, high: price, low: price, close: price };
  });
}
