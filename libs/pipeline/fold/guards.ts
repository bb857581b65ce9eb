import type { Hex } from '#libs/core/ids.js';
import type { KeyedSpace } from '#libs/pipeline/state/keyed-space.js';
import { type KeyRange, prefixRange } from '#libs/pipeline/state/space.js';
import { type Bounds, type GuardKind, guardsPrefix, orderedDouble } from './fold-spaces.js';
import type { FoldStore } from './fold-store.js';
import type { Guard, TokenEntry, TokenTable, Watched } from './token-table.js';

/** The range in which a selection provably holds, before it becomes a guard. */
export interface SafeRange {
  quote: TokenEntry;
  usd: number;
  lo: number;
  hi: number;
}

/** Guards as the price book uses them. Kind 0 is on coin and stables, kind 1 on the exit rates of tokens of level 2. */
export interface PriceGuards {
  /** Replaces a token's guards (of one kind) by guards inside the safe ranges; a guard that is safe already stays. */
  update(token: TokenEntry, kind: 0 | 1, ranges: SafeRange[]): void;
  /** Drops every guard of others on the token that does not hold at this price and adds whose it is to `hit`. */
  sweep(quote: TokenEntry, kind: GuardKind, usd: number, hit: Set<TokenEntry>): void;
  /** Whether a token of level 2 has guards of others on it. */
  isWatched(quote: TokenEntry): boolean;
  /**
   * Translates the guards on a level 2 token's rate, which is `rate` now (NaN: none), into ranges of the prices of the references that
   * it follows, and guards those ranges (kind 2). While all of them stay inside, no guard on the token itself is hit, and the
   * token need not be looked at when they move.
   */
  updateReferences(token: TokenEntry, rate: number, references: readonly TokenEntry[]): void;
}

/** For a table that is evaluated once. */
export const noGuards: PriceGuards = {
  update: () => undefined,
  sweep: () => undefined,
  isWatched: () => false,
  updateReferences: () => undefined,
};

/** Above any rounding of the doubles involved. */
const MARGIN = 1e-9;
const DOUBLE_DIGITS = 16;
/** Most sweeps hit none or a few. */
const GUARDS_A_LOOK = 8;

/**
 * Guards in the keyed state, as many as there are priced tokens. A guard is three rows: one under its token, and one under each
 * of its ends in the order of the numbers, so that a sweep is a range from one end to the price. The outermost ends are known
 * with the quote token, so a sweep that hits nothing reads nothing.
 */
export class GuardIndex implements PriceGuards {
  constructor(
    private readonly store: FoldStore,
    private readonly table: TokenTable,
  ) {}

  update(token: TokenEntry, kind: 0 | 1, ranges: SafeRange[]): void {
    const old = this.guardsOf(token, kind);
    if (ranges.length === 0 && old.length === 0) return;
    // The common case: one quote token, and the guard still holds.
    if (ranges.length === 1 && old.length === 1 && holds(old[0]!, ranges[0]!)) return;
    const kept: Guard[] = [];
    for (const guard of old) {
      if (ranges.some((range) => holds(guard, range))) kept.push(guard);
      else this.drop(token, kind, guard);
    }
    for (const range of ranges) {
      if (kept.some((guard) => guard.quote === range.quote)) continue;
      const guard = inside(range);
      if (guard.lo <= 0 && guard.hi === Number.POSITIVE_INFINITY) continue;
      this.add(token, kind, guard);
      kept.push(guard);
    }
    token.guards[kind] = kept;
  }

  sweep(quote: TokenEntry, kind: GuardKind, usd: number, hit: Set<TokenEntry>): void {
    const watched = this.watched(quote, kind);
    if (!(watched.lo >= usd || watched.hi <= usd)) return;
    const prefix = guardsPrefix(quote.id, kind);
    const drop = (key: Hex, bounds: Bounds): void => {
      hit.add(this.hit(quote, kind, key.slice(prefix.length + DOUBLE_DIGITS), bounds));
    };
    // Nothing is beyond the ends that are known: what was dropped there since the last commit is not looked at again.
    if (watched.lo >= usd) {
      const range = { from: prefix, to: prefix + following(orderedDouble(watched.lo)), reverse: true };
      watched.lo = dropWhile(this.store.lowGuards, range, ({ lo }) => lo >= usd, drop)?.lo ?? 0;
    }
    if (watched.hi <= usd) {
      const range = { from: prefix + orderedDouble(watched.hi), to: prefixRange(prefix).to };
      const next = dropWhile(this.store.highGuards, range, ({ hi }) => hi <= usd, drop);
      watched.hi = next?.hi ?? Number.POSITIVE_INFINITY;
    }
  }

  isWatched(quote: TokenEntry): boolean {
    const { lo, hi } = this.watched(quote, 1);
    return lo > 0 || hi < Number.POSITIVE_INFINITY;
  }

  updateReferences(token: TokenEntry, rate: number, references: readonly TokenEntry[]): void {
    const old = this.guardsOf(token, 2);
    const isWatched = this.isWatched(token) && !Number.isNaN(rate);
    const watched = this.watched(token, 1);
    // Without a rate any move of a reference may bring one.
    const [lo, hi] = rate > 0 ? [watched.lo / rate, watched.hi / rate] : [1, 1];
    const wanted = isWatched
      ? references.map((quote) => ({ quote, lo: quote.roughUsd * lo, hi: quote.roughUsd * hi }))
      : [];
    const holdStill =
      old.length === wanted.length &&
      wanted.every((next) => old.some(({ quote, ...range }) => quote === next.quote && isInside(range, next)));
    if (holdStill) return;
    for (const guard of old) this.drop(token, 2, guard);
    for (const guard of wanted) this.add(token, 2, guard);
    token.guards[2] = wanted;
  }

  private guardsOf(token: TokenEntry, kind: GuardKind): readonly Guard[] {
    token.guards[kind] ??= this.readGuards(token, kind);
    return token.guards[kind];
  }

  private readGuards(token: TokenEntry, kind: GuardKind): Guard[] {
    const prefix = guardsPrefix(token.id, kind);
    const rows = this.store.guards.range(prefixRange(prefix));
    return rows.map(([key, { lo, hi }]) => ({ quote: this.table.token(key.slice(prefix.length)), lo, hi }));
  }

  private watched(quote: TokenEntry, kind: GuardKind): Watched {
    quote.watched[kind] ??= quote.isNew ? { lo: 0, hi: Number.POSITIVE_INFINITY } : this.readWatched(quote, kind);
    return quote.watched[kind];
  }

  private readWatched(quote: TokenEntry, kind: GuardKind): Watched {
    const { from, to } = prefixRange(guardsPrefix(quote.id, kind));
    const { lowGuards, highGuards } = this.store;
    return { lo: largestLow(lowGuards, from, to), hi: smallestHigh(highGuards, from, to) };
  }

  private add(token: TokenEntry, kind: GuardKind, guard: Guard): void {
    this.set(token.id, kind, guard, true);
    const watched = this.watched(guard.quote, kind);
    if (guard.lo > watched.lo) watched.lo = guard.lo;
    if (guard.hi < watched.hi) watched.hi = guard.hi;
  }

  private drop(token: TokenEntry, kind: GuardKind, guard: Guard): void {
    this.set(token.id, kind, guard, false);
  }

  private hit(quote: TokenEntry, kind: GuardKind, id: Hex, { lo, hi }: Bounds): TokenEntry {
    const token = this.table.token(id);
    this.set(id, kind, { quote, lo, hi }, false);
    const guards = token.guards[kind];
    if (guards !== null) token.guards[kind] = guards.filter((guard) => guard.quote !== quote);
    return token;
  }

  private set(token: Hex, kind: GuardKind, { quote, lo, hi }: Guard, isThere: boolean): void {
    const bounds: Bounds = { lo, hi };
    const [before, after] = isThere ? [null, bounds] : [bounds, null];
    const { guards, lowGuards, highGuards } = this.store;
    guards.replace(guardsPrefix(token, kind) + quote.id, before, after);
    const prefix = guardsPrefix(quote.id, kind);
    if (lo > 0) lowGuards.replace(prefix + orderedDouble(lo) + token, before, after);
    if (hi < Number.POSITIVE_INFINITY) highGuards.replace(prefix + orderedDouble(hi) + token, before, after);
  }
}

/** Drops guards in the order of a range, as far as they are hit; answers the first that is not. */
function dropWhile(
  ends: KeyedSpace<Bounds>,
  range: KeyRange,
  isHit: (bounds: Bounds) => boolean,
  drop: (key: Hex, bounds: Bounds) => void,
): Bounds | null {
  for (let rest = range; ; ) {
    const page = ends.range({ ...rest, limit: GUARDS_A_LOOK });
    for (const [key, bounds] of page) {
      if (!isHit(bounds)) return bounds;
      drop(key, bounds);
    }
    if (page.length < GUARDS_A_LOOK) return null;
    const last = page.at(-1)![0];
    rest = range.reverse ? { ...range, to: last } : { ...range, from: `${last}00` };
  }
}

const following = (double: Hex): Hex => (BigInt(`0x${double}`) + 1n).toString(16).padStart(DOUBLE_DIGITS, '0');

const largestLow = (guards: KeyedSpace<Bounds>, from: Hex, to: Hex | null): number =>
  guards.range({ from, to, reverse: true, limit: 1 })[0]?.[1].lo ?? 0;

const smallestHigh = (guards: KeyedSpace<Bounds>, from: Hex, to: Hex | null): number =>
  guards.range({ from, to, limit: 1 })[0]?.[1].hi ?? Number.POSITIVE_INFINITY;

const isInside = (inner: Bounds, outer: Bounds): boolean => outer.lo <= inner.lo && inner.hi <= outer.hi;

function holds(guard: Guard, range: SafeRange): boolean {
  return (
    guard.quote === range.quote &&
    range.lo <= guard.lo &&
    guard.hi <= range.hi &&
    guard.lo < range.usd &&
    range.usd < guard.hi
  );
}

/** Half of the way (as a ratio) to each end, so that small changes need no new guard. */
function inside({ quote, usd, lo, hi }: SafeRange): Guard {
  return {
    quote,
    lo: lo <= 0 ? 0 : Math.sqrt(lo * usd) * (1 + MARGIN),
    hi: hi === Number.POSITIVE_INFINITY ? hi : Math.sqrt(hi * usd) * (1 - MARGIN),
  };
}
