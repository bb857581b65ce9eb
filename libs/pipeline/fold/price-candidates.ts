import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import { poolKinds } from '#libs/protocol/blocks.js';
import type { SafeRange } from './guards.js';
import type { TablePool, TokenEntry } from './token-table.js';
import { LEAST_RATE } from './token-values.js';

/** Which pools of a token count, and for how long they stay those. */

/** So many pools against coin and stables back a price, and as many against other tokens. */
export const MOST_PARTS = 4;

const LEAST = Number(LEAST_RATE) / 1e36;

/** A pool that may back a token's price. */
export interface Candidate {
  readonly pool: TablePool;
  readonly quote: TokenEntry;
  /** Of the quote token where it is money. */
  readonly usd: E36;
  /** Quote-side depth, in the unit of quoteValue. */
  readonly value: bigint;
  readonly spot: E36;
}

/** Deepest first; a tie goes to the lower id. */
export function inOrder<Ranked extends { readonly pool: { readonly id: Hex }; readonly value: bigint }>(
  candidates: Ranked[],
): Ranked[] {
  if (candidates.length < 2) return candidates;
  return candidates.sort((a, b) =>
    a.value === b.value ? (a.pool.id < b.pool.id ? -1 : 1) : a.value > b.value ? -1 : 1,
  );
}

/**
 * Ranges of the quote tokens' values in which the same pools are chosen, in the same order. Within one quote token the order of pools
 * does not depend on its value. They are conservative: where they end, the token is looked at.
 */
export function safeRanges(ranked: readonly Candidate[], chosen: readonly Candidate[], minValue: bigint): SafeRange[] {
  const ranges = new Map<TokenEntry, SafeRange>();
  for (const { quote, usd } of ranked) {
    if (ranges.has(quote)) continue;
    const at = Number(usd) / 1e36;
    ranges.set(quote, { quote, usd: at, lo: 0, hi: Number.POSITIVE_INFINITY });
  }
  const min = Number(minValue);
  const narrow = ({ quote }: Candidate, by: { lo?: number; hi?: number }): void => {
    const range = ranges.get(quote)!;
    if (by.lo !== undefined) range.lo = Math.max(range.lo, range.usd * by.lo);
    if (by.hi !== undefined) range.hi = Math.min(range.hi, range.usd * by.hi);
  };
  const isChosen = new Set(chosen);
  for (const candidate of ranked) {
    const range = ranges.get(candidate.quote)!;
    // Below the least rate a token is no money.
    if (candidate.usd < LEAST_RATE) range.hi = Math.min(range.hi, LEAST);
    else range.lo = Math.max(range.lo, LEAST);
    if (candidate.value === 0n || poolKinds[candidate.pool.record.kind].setsPrice === 'always') continue;
    const value = Number(candidate.value);
    if (value >= min) narrow(candidate, { lo: min / value });
    else if (!isChosen.has(candidate)) narrow(candidate, { hi: min / value });
  }
  // Of the chosen and the first one that is not: no two of different quotes change places while both move by less than this.
  for (let at = 0; at < chosen.length; at++) {
    const rival = ranked.slice(ranked.indexOf(chosen[at]!) + 1).find(({ quote }) => quote !== chosen[at]!.quote);
    if (rival === undefined) continue;
    const [top, below] = [Number(chosen[at]!.value), Number(rival.value)];
    const share = (top - below) / (top + below);
    narrow(chosen[at]!, { lo: 1 - share });
    // Any of another quote may be the one that comes up.
    for (const range of ranges.values())
      if (range.quote !== chosen[at]!.quote) range.hi = Math.min(range.hi, range.usd * (1 + share));
  }
  return [...ranges.values()];
}
