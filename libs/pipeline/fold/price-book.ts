import type { E36 } from '#libs/core/money.js';
import { poolKinds } from '#libs/protocol/blocks.js';
import type { PriceGuards, SafeRange } from './guards.js';
import { MAX_PRICE_USD, plausiblePrice, usdPrice } from './price-rule.js';
import { computeReferences, minQuoteValue, quoteValue } from './references.js';
import {
  LEVEL_DIRECT,
  LEVEL_INDIRECT,
  type Selection,
  type TablePool,
  type TokenEntry,
  type TokenTable,
} from './token-table.js';

/** What one evaluation changed. */
export interface PriceChanges {
  /** Every token whose selection was replaced, with the one it had before. */
  selections: Map<TokenEntry, Selection | null>;
  referencesChanged: boolean;
}

/**
 * Which pool prices which token, kept current.
 * Invariant: after `evaluate()` every selection and reference price equals what a computation from all pools gives
 * (decision 17): level 2 from the deepest pool against coin or stables, else level 3 from the deepest pool
 * against a token of level 2, each with at least `minQuoteUsd` on its quote side (of liquidity in ranges, near the price), a
 * bonding curve with anything; a tie goes to the lower pool id.
 * Only what the marked pools and broken guards touch is looked at.
 */
export class PriceBook {
  /** To look at from the reference pools on. */
  private readonly direct = new Set<TokenEntry>();
  /** To look at for level 3, unless they have level 2. */
  private readonly indirect = new Set<TokenEntry>();
  private referencesDirty = false;
  /** Tokens whose reference guard may be too wide now. */
  private readonly referenceGuardsDue = new Set<TokenEntry>();
  private readonly minValue: bigint;

  constructor(
    private readonly table: TokenTable,
    private readonly guards: PriceGuards,
    /** USD of the coin, then of the stables by id, where the pools among them were looked at already. */
    references?: readonly (E36 | null)[],
  ) {
    this.minValue = minQuoteValue(table.reference.rules);
    if (references === undefined) {
      for (const [token, usd] of computeReferences(table, table.reference.rules)) setReference(token, usd);
    } else {
      for (const [at, token] of [table.coin, ...table.stables].entries()) setReference(token, references[at] ?? null);
    }
  }

  /** The pool's state, or whether it exists, changed. */
  markPool(pool: TablePool): void {
    const { token0, token1 } = pool;
    if (token0.isReference && token1.isReference) this.referencesDirty = true;
    else if (token0.isReference) this.direct.add(token1);
    else if (token1.isReference) this.direct.add(token0);
    else {
      this.indirect.add(token0);
      this.indirect.add(token1);
    }
  }

  /** The token's decimals became known or unknown. */
  markToken(token: TokenEntry): void {
    for (const pool of token.referencePools) this.markPool(pool);
    for (const pool of token.otherPools) this.markPool(pool);
  }

  /** USD price without the bound of what a market can have. */
  private rawUsd(token: TokenEntry): E36 | null {
    if (token.isReference) return token.referenceUsd;
    const selection = token.selection;
    if (selection === null) return null;
    const quoteUsd = this.rawUsd(selection.quote);
    return quoteUsd === null ? null : usdPrice(selection.spot, quoteUsd);
  }

  /** Same walk and bounds as tokenUsd of the price rule, over the fold's own entries. */
  usd(token: TokenEntry): E36 | null {
    if (token.isReference) return token.referenceUsd;
    const selection = token.selection;
    if (selection === null) return null;
    const quoteUsd = this.usd(selection.quote);
    return quoteUsd === null ? null : plausiblePrice(usdPrice(selection.spot, quoteUsd));
  }

  evaluate(): PriceChanges {
    const changes: PriceChanges = { selections: new Map(), referencesChanged: false };
    const moved = new Set<TokenEntry>();
    if (this.referencesDirty) changes.referencesChanged = this.evaluateReferences(moved);
    for (const token of this.direct) {
      if (!token.isReference) this.evaluateDirect(token, changes, moved);
    }
    this.direct.clear();
    for (const quote of moved) this.checkWatchers(quote);
    for (const token of this.indirect) {
      if (!token.isReference && token.selection?.level !== LEVEL_DIRECT) this.evaluateIndirect(token, changes);
    }
    this.indirect.clear();
    for (const quote of this.referenceGuardsDue) this.guards.updateReference(quote);
    this.referenceGuardsDue.clear();
    return changes;
  }

  /** `moved` gets the level 2 tokens whose watchers the new prices may concern. */
  private evaluateReferences(moved: Set<TokenEntry>): boolean {
    this.referencesDirty = false;
    let changed = false;
    for (const [token, usd] of computeReferences(this.table, this.table.reference.rules)) {
      const before = token.referenceUsd;
      if (before === usd) continue;
      changed = true;
      setReference(token, usd);
      if (before === null || usd === null) {
        for (const other of this.table.counterparties(token)) this.direct.add(other);
      } else {
        this.guards.sweep(token, 0, token.roughUsd, this.direct);
        this.guards.sweep(token, 2, token.roughUsd, moved);
      }
    }
    return changed;
  }

  private evaluateDirect(token: TokenEntry, changes: PriceChanges, moved: Set<TokenEntry>): void {
    const before = token.selection;
    const wasDirect = before?.level === LEVEL_DIRECT;
    const found = this.select(token, 0);
    if (found !== null) {
      this.guards.update(token, 1, []);
      this.replace(token, { level: LEVEL_DIRECT, ...found }, changes);
      if (wasDirect && token.selection !== before) moved.add(token);
    } else {
      if (wasDirect) this.replace(token, null, changes);
      this.indirect.add(token);
    }
    if (wasDirect !== (found !== null)) {
      for (const other of this.table.counterparties(token)) this.indirect.add(other);
    }
  }

  private evaluateIndirect(token: TokenEntry, changes: PriceChanges): void {
    const found = this.select(token, 1);
    this.replace(token, found === null ? null : { level: LEVEL_INDIRECT, ...found }, changes);
  }

  private checkWatchers(quote: TokenEntry): void {
    if (!this.guards.isWatched(quote)) return;
    this.referenceGuardsDue.add(quote);
    const { selection } = quote;
    // Below level 2 the quote prices no other token; its counterparties were marked when it lost that level.
    if (selection?.level !== LEVEL_DIRECT || selection.quote.referenceUsd === null) return;
    this.guards.sweep(quote, 1, selection.roughSpot * selection.quote.roughUsd, this.indirect);
  }

  private replace(token: TokenEntry, next: Selection | null, changes: PriceChanges): void {
    const before = token.selection;
    if (sameSelection(before, next)) return;
    if (!changes.selections.has(token)) changes.selections.set(token, before);
    token.selection = next;
  }

  /** The deepest pool that may price the token, among reference pools (0) or pools against level 2 (1). */
  private select(token: TokenEntry, kind: 0 | 1): Omit<Selection, 'level'> | null {
    const pools = kind === 0 ? token.referencePools : token.otherPools;
    const candidates: Candidate[] = [];
    const ranges: SafeRange[] = [];
    if (token.decimals !== null) {
      for (const pool of pools) {
        const candidate = this.candidate(token, pool, kind, ranges, pools.length === 1);
        if (candidate !== null) candidates.push(candidate);
      }
    }
    let best: Candidate | null = null;
    let spot: E36 | null = null;
    while (spot === null) {
      best = deepest(candidates.filter((candidate) => this.setsPrice(candidate))) ?? deepest(candidates);
      if (best === null) break;
      spot = best.pool.spotOf(token);
      if (spot === null) candidates.splice(candidates.indexOf(best), 1);
    }
    if (best !== null) addSafeRanges(ranges, candidates, best, this.minValue);
    this.guard(token, kind, ranges);
    if (best === null || spot === null || !this.setsPrice(best)) return null;
    return { pool: best.pool.id, quote: best.quote, spot, roughSpot: asNumber(spot) };
  }

  private setsPrice({ pool, value }: Candidate): boolean {
    return value >= this.minValue || poolKinds[pool.record.kind].setsPrice === 'always';
  }

  private candidate(
    token: TokenEntry,
    pool: TablePool,
    kind: 0 | 1,
    ranges: SafeRange[],
    alone: boolean,
  ): Candidate | null {
    const quote = pool.other(token);
    if (!pool.anchored || quote.decimals === null || pool.reserveOf(quote) <= 0n) return null;
    if (kind === 1 && quote.selection?.level !== LEVEL_DIRECT) return null;
    const usd = this.rawUsd(quote);
    if (usd === null) return null;
    if (usd > MAX_PRICE_USD) {
      // Not a price a market can have: no candidate, until it falls below.
      if (!ranges.some((range) => range.quote === quote))
        ranges.push({ quote, usd: asNumber(usd), lo: asNumber(MAX_PRICE_USD), hi: Number.POSITIVE_INFINITY });
      return null;
    }
    // One without a rival only has to be known to be far above the minimum.
    const enough =
      alone && usd > 0n ? (FAR_ABOVE * this.minValue) / quoteValue(1n, quote.decimals, usd) + 1n : undefined;
    const value = quoteValue(pool.depthOf(quote, enough), quote.decimals, usd);
    return value > 0n ? { pool, quote, usd, value } : null;
  }

  private guard(token: TokenEntry, kind: 0 | 1, ranges: SafeRange[]): void {
    this.guards.update(token, kind, ranges);
    if (kind === 1) for (const range of ranges) this.referenceGuardsDue.add(range.quote);
  }
}

/** Guards are as wide as the value is known to be above the minimum. */
const FAR_ABOVE = 1_000n;

interface Candidate {
  pool: TablePool;
  quote: TokenEntry;
  usd: E36;
  value: bigint;
}

function deepest(candidates: Candidate[]): Candidate | null {
  let best: Candidate | null = null;
  for (const candidate of candidates) {
    if (
      best === null ||
      candidate.value > best.value ||
      (candidate.value === best.value && candidate.pool.id < best.pool.id)
    )
      best = candidate;
  }
  return best;
}

/**
 * Ranges of the quote tokens' prices in which `best` stays the deepest and stays on its side of the minimum. Within one
 * quote token the order of pools does not depend on its price.
 */
function addSafeRanges(ranges: SafeRange[], candidates: Candidate[], best: Candidate, minValue: bigint): void {
  if (candidates.some(({ pool }) => pool.record.kind === 'curve')) {
    // A single curve always sets the price; with other pools, every move of a quote may add or remove a candidate.
    const alone = candidates.length === 1;
    for (const { quote, usd } of candidates) {
      const at = asNumber(usd);
      ranges.push({ quote, usd: at, lo: alone ? 0 : at, hi: alone ? asNumber(MAX_PRICE_USD) : at });
    }
    return;
  }
  const top = Number(best.value);
  const min = Number(minValue);
  const bound = asNumber(MAX_PRICE_USD);
  if (candidates.length === 1) {
    const usd = asNumber(best.usd);
    const edge = (usd * min) / top;
    ranges.push(
      top < min
        ? { quote: best.quote, usd, lo: 0, hi: Math.min(bound, edge) }
        : { quote: best.quote, usd, lo: edge, hi: bound },
    );
    return;
  }
  let rival = 0;
  const quotes = new Map<TokenEntry, E36>();
  for (const candidate of candidates) {
    quotes.set(candidate.quote, candidate.usd);
    if (candidate.quote !== best.quote) rival = Math.max(rival, Number(candidate.value));
  }
  for (const [quote, usdE36] of quotes) {
    const usd = asNumber(usdE36);
    let lo = 0;
    let hi = bound;
    if (top < min) hi = Math.min(bound, (usd * min) / top);
    else if (rival === 0) lo = (usd * min) / top;
    else {
      const share = Math.max(0, Math.min(1 - min / top, (top - rival) / (top + rival)));
      lo = usd * (1 - share);
      hi = Math.min(bound, usd * (1 + share));
    }
    ranges.push({ quote, usd, lo, hi });
  }
}

function setReference(token: TokenEntry, usd: E36 | null): void {
  token.referenceUsd = usd;
  token.roughUsd = usd === null ? Number.NaN : asNumber(usd);
}

function asNumber(usd: E36): number {
  return Number(usd) / 1e36;
}

export function sameSelection(a: Selection | null, b: Selection | null): boolean {
  if (a === null || b === null) return a === b;
  return a.pool === b.pool && a.spot === b.spot && a.level === b.level && a.quote === b.quote;
}
