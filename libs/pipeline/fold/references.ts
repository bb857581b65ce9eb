import { type E36, ONE_E36, pow10 } from '#libs/core/money.js';
import type { PriceRules } from '#libs/protocol/blocks.js';
import type { PoolObservation } from './pool-state.js';
import { plausiblePrice, usdPrice } from './price-rule.js';
import type { TablePool, TokenEntry, TokenTable } from './token-table.js';

/**
 * USD prices of the coin and the stables (decision 2), a pure function of the pools among them.
 *
 * The coin is the liquidity-weighted median over its stable pools. A stable is measured by the weighted median of its pools
 * against the coin and other stables. It is 1 where that is at most `depegBps` off, what was measured from twice as much on, and in
 * between on the line from one to the other: no price jumps where a peg is about to break. The coin that judges a stable is priced
 * by the other stables alone, so a chain with one stable cannot tell it from the dollar. When several look off, the lowest is taken
 * first and the rest is judged again at its new price: a peg breaks downwards, and the broken stable makes the sound ones look
 * too expensive.
 */
export function computeReferences(table: TokenTable, rules: PriceRules): Map<TokenEntry, E36 | null> {
  const usd = new Map<TokenEntry, E36 | null>(table.stables.map((stable) => [stable, ONE_E36]));
  const judged = new Set<TokenEntry>();
  for (;;) {
    const coinPools = observeCoin(table, rules, usd);
    const lowest = lowestDepeg(table, rules, usd, judged, coinPools);
    if (lowest === null) {
      usd.set(table.coin, weightedMedian(coinPools));
      return usd;
    }
    usd.set(lowest.stable, ramped(lowest.price, toleranceOf(rules)));
    judged.add(lowest.stable);
  }
}

const toleranceOf = (rules: PriceRules): bigint => (ONE_E36 * BigInt(rules.depegBps)) / 10_000n;

/** The price that counts for a stable of this measured one. */
function ramped(measured: E36, tolerance: bigint): E36 {
  const off = measured - ONE_E36;
  const distance = off < 0n ? -off : off;
  if (distance >= 2n * tolerance) return measured;
  const counted = distance <= tolerance ? 0n : 2n * (distance - tolerance);
  return off < 0n ? ONE_E36 - counted : ONE_E36 + counted;
}

/** What was measured of a stable that counts as this; null for 1: it was at most the tolerance off. */
export function measuredOf(counted: E36, rules: PriceRules): E36 | null {
  const tolerance = toleranceOf(rules);
  const off = counted - ONE_E36;
  if (off === 0n) return null;
  const distance = off < 0n ? -off : off;
  if (distance >= 2n * tolerance) return counted;
  return off < 0n ? ONE_E36 - tolerance + off / 2n : ONE_E36 + tolerance + off / 2n;
}

type Observation = PoolObservation<TokenEntry>;

/**
 * Quote-side value in USD · 1e72, exact: nothing is divided, so that the order of two pools of one quote token never
 * depends on that token's price.
 */
export function quoteValue(reserve: bigint, quoteDecimals: number, quoteUsd: E36): bigint {
  return reserve * quoteUsd * pow10(36 - quoteDecimals);
}

/** The least quote-side value that sets a price, in the unit of quoteValue. */
export function minQuoteValue(rules: PriceRules): bigint {
  let value = minimums.get(rules.minQuoteUsd);
  if (value === undefined) {
    value = BigInt(Math.round(rules.minQuoteUsd * 1_000_000)) * pow10(66);
    minimums.set(rules.minQuoteUsd, value);
  }
  return value;
}

const minimums = new Map<number, bigint>();

function lowestDepeg(
  table: TokenTable,
  rules: PriceRules,
  usd: Map<TokenEntry, E36 | null>,
  judged: Set<TokenEntry>,
  coinPools: readonly Observation[],
): { stable: TokenEntry; price: E36 } | null {
  if (table.stables.length < 2) return null;
  const tolerance = toleranceOf(rules);
  let lowest: { stable: TokenEntry; price: E36 } | null = null;
  for (const stable of table.stables) {
    if (judged.has(stable) || stable.referencePools.length === 0) continue;
    if (surelyPegged(table, rules, usd, stable, coinPools)) continue;
    const price = depegPrice(table, rules, usd, stable, tolerance, coinPools);
    if (price !== null && (lowest === null || price < lowest.price)) lowest = { stable, price };
  }
  return lowest;
}

/**
 * True only where `depegPrice` is certainly null: no pool of the stable can be off, whatever the coin is
 * worth between the cheapest and the dearest of its pools. Rough numbers with a margin a million times their error;
 * they decide what need not be computed, never a price.
 */
function surelyPegged(
  table: TokenTable,
  rules: PriceRules,
  usd: Map<TokenEntry, E36 | null>,
  stable: TokenEntry,
  coinPools: readonly Observation[],
): boolean {
  // The coin is worth as much as one of these pools says, whichever of them are left out: they come by price.
  const cheapest = roughly(coinPools[0]?.price ?? 0n);
  const dearest = roughly(coinPools.at(-1)?.price ?? 0n);
  const tolerance = roughTolerance(rules);
  for (const pool of stable.referencePools) {
    const quote = pool.other(stable);
    const quoteUsd = quote === table.coin ? undefined : (usd.get(quote) ?? null);
    if (quoteUsd === null || !pool.anchored || (quoteUsd === undefined && coinPools.length === 0)) continue;
    const spot = pool.roughSpotOf(stable);
    if (Number.isNaN(spot)) continue;
    const low = spot * (quoteUsd === undefined ? cheapest : roughly(quoteUsd));
    const high = spot * (quoteUsd === undefined ? dearest : roughly(quoteUsd));
    if (!(low > 1 - tolerance && high < 1 + tolerance)) return false;
  }
  return true;
}

const MARGIN = 1e-6;
const roughTolerance = (rules: PriceRules): number => (rules.depegBps / 10_000) * (1 - MARGIN) - MARGIN;
const roughly = (usd: E36): number => (usd === ONE_E36 ? 1 : Number(usd) / 1e36);

function depegPrice(
  table: TokenTable,
  rules: PriceRules,
  usd: Map<TokenEntry, E36 | null>,
  stable: TokenEntry,
  tolerance: bigint,
  coinPools: readonly Observation[],
): E36 | null {
  const coinUsd = weightedMedian(coinPools.filter(({ quote }) => quote !== stable));
  const quoteUsdOf = (quote: TokenEntry): E36 | null => (quote === table.coin ? coinUsd : (usd.get(quote) ?? null));
  const low = ONE_E36 - tolerance;
  const high = ONE_E36 + tolerance;
  const seenIn = (pool: TablePool, quoteUsd: E36): Observation | null =>
    observe(pool, stable, pool.other(stable), quoteUsd, rules);
  let isOff = false;
  for (const pool of stable.referencePools) {
    const quoteUsd = quoteUsdOf(pool.other(stable));
    if (quoteUsd === null || surelyNear(pool, stable, quoteUsd, rules)) continue;
    const price = seenIn(pool, quoteUsd)?.price ?? ONE_E36;
    if (price < low || price > high) isOff = true;
  }
  if (!isOff) return null;
  const observations: Observation[] = [];
  for (const pool of stable.referencePools) {
    const quoteUsd = quoteUsdOf(pool.other(stable));
    const seen = quoteUsd === null ? null : seenIn(pool, quoteUsd);
    if (seen !== null) observations.push(seen);
  }
  const median = weightedMedian(observations.sort(byPrice));
  return median === null || (median >= low && median <= high) ? null : median;
}

/** True only where the pool certainly does not put the stable off: as rough as `surelyPegged`. */
function surelyNear(pool: TablePool, stable: TokenEntry, quoteUsd: E36, rules: PriceRules): boolean {
  const tolerance = roughTolerance(rules);
  const price = pool.roughSpotOf(stable) * roughly(quoteUsd);
  return price > 1 - tolerance && price < 1 + tolerance;
}

/** The coin's pools against the stables, by price. */
function observeCoin(table: TokenTable, rules: PriceRules, usd: Map<TokenEntry, E36 | null>): Observation[] {
  const observations: Observation[] = [];
  for (const pool of table.coin.referencePools) {
    const stable = pool.other(table.coin);
    const stableUsd = usd.get(stable) ?? null;
    if (stableUsd === null) continue;
    const seen = observe(pool, table.coin, stable, stableUsd, rules);
    if (seen !== null) observations.push(seen);
  }
  return observations.sort(byPrice);
}

const byPrice = (a: Observation, b: Observation): number => (a.price < b.price ? -1 : a.price > b.price ? 1 : 0);

function observe(
  pool: TablePool,
  base: TokenEntry,
  quote: TokenEntry,
  quoteUsd: E36,
  rules: PriceRules,
): Observation | null {
  const sides = pool.observations;
  const side = base === pool.token0 ? 0 : 1;
  const known = sides[side];
  if (known?.changes === pool.changes && known.quoteUsd === quoteUsd) return known.seen;
  const seen = compute(pool, base, quote, quoteUsd, rules);
  sides[side] = { changes: pool.changes, quoteUsd, seen };
  return seen;
}

function compute(
  pool: TablePool,
  base: TokenEntry,
  quote: TokenEntry,
  quoteUsd: E36,
  rules: PriceRules,
): Observation | null {
  if (!pool.anchored || quote.decimals === null) return null;
  const weight = quoteValue(pool.depthOf(quote), quote.decimals, quoteUsd);
  if (weight <= 0n || weight < minQuoteValue(rules)) return null;
  const spot = pool.spotOf(base);
  if (spot === null) return null;
  const price = plausiblePrice(usdPrice(spot, quoteUsd));
  return price === null || price === 0n ? null : { quote, price, weight };
}

/** The lowest price at which half of the weight is reached. They come by price. */
function weightedMedian(observations: readonly Observation[]): E36 | null {
  let total = 0n;
  for (const seen of observations) total += seen.weight;
  let reached = 0n;
  for (const seen of observations) {
    reached += seen.weight;
    if (2n * reached >= total) return seen.price;
  }
  return null;
}
