import type { E36 } from '#libs/core/money.js';
import { poolKinds } from '#libs/protocol/blocks.js';
import { backingText, type PricePart, roundedUp, textOf } from './backing.js';
import type { PriceGuards, SafeRange } from './guards.js';
import { backedDepth, pricePart } from './part-curve.js';
import { type Candidate, inOrder, MOST_PARTS, safeRanges } from './price-candidates.js';
import { computeReferences, minQuoteValue, quoteValue } from './references.js';
import {
  LEVEL_DIRECT,
  LEVEL_INDIRECT,
  type Selection,
  type TablePool,
  type TokenEntry,
  type TokenTable,
} from './token-table.js';
import { TokenValues } from './token-values.js';

/** What one evaluation changed. */
export interface PriceChanges {
  /** Every token whose selection was replaced, with the one it had before. */
  selections: Map<TokenEntry, Selection | null>;
  referencesChanged: boolean;
}

/**
 * Which pools price which token, kept current.
 * Invariant: after `evaluate()` every selection and reference price equals what a computation from all pools gives
 * (docs/prices.md): the deepest pools against coin or stables, and the deepest against tokens that have such pools, each with
 * at least `minQuoteUsd` on its quote side (of liquidity in ranges, near the price; of such a token, at its exit rate), a bonding
 * curve with anything; a tie goes to the lower pool id. A token is of level 2 with a pool of the first kind, of level 3 without.
 * Only what the marked pools and broken guards touch is looked at.
 */
export class PriceBook {
  /** To look at from the reference pools on. */
  private readonly direct = new Set<TokenEntry>();
  /** To look at only for their pools against tokens of level 2. */
  private readonly indirect = new Set<TokenEntry>();
  private readonly pooled = new Set<TokenEntry>();
  private referencesDirty = false;
  /** Tokens whose reference guards may be too wide now. */
  private readonly referenceGuardsDue = new Set<TokenEntry>();
  private readonly minValue: bigint;
  private current: TokenValues;

  constructor(
    private readonly table: TokenTable,
    private readonly guards: PriceGuards,
    /** USD of the coin, then of the stables by id, where the pools among them were looked at already. */
    references?: readonly (E36 | null)[],
  ) {
    this.current = this.newValues();
    this.minValue = minQuoteValue(table.reference.rules);
    if (references === undefined) {
      for (const [token, usd] of computeReferences(table, table.reference.rules)) setReference(token, usd);
    } else {
      for (const [at, token] of [table.coin, ...table.stables].entries()) setReference(token, references[at] ?? null);
    }
  }

  private newValues(): TokenValues {
    return new TokenValues({
      reference: (id) => {
        const token = this.table.token(id);
        return token.isReference ? token.referenceUsd : undefined;
      },
      backing: (id) => this.table.token(id).selection,
    });
  }

  /** Of the prices as they are after the last evaluation. */
  get values(): TokenValues {
    return this.current;
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

  /** A pool against another token that is neither coin nor stable holds more or less of the token. */
  addPooled(token: TokenEntry, amount: bigint): void {
    if (amount === 0n) return;
    token.pooled += amount;
    this.pooled.add(token);
  }

  /** The tokens of which that was said since the last evaluation. */
  get pooledTokens(): Iterable<TokenEntry> {
    return this.pooled;
  }

  /** The token's decimals became known or unknown. */
  markToken(token: TokenEntry): void {
    for (const pool of token.referencePools) this.markPool(pool);
    for (const pool of token.otherPools) this.markPool(pool);
  }

  usd(token: TokenEntry): E36 | null {
    return token.isReference ? token.referenceUsd : this.current.usd(token.id);
  }

  evaluate(): PriceChanges {
    const changes: PriceChanges = { selections: new Map(), referencesChanged: false };
    const moved = new Set<TokenEntry>();
    if (this.referencesDirty) changes.referencesChanged = this.evaluateReferences(moved);
    this.current = this.newValues();
    for (const token of this.direct) {
      if (!token.isReference) this.evaluateDirect(token, changes, moved);
    }
    this.direct.clear();
    for (const token of this.pooled) this.evaluatePooled(token, changes, moved);
    this.pooled.clear();
    this.current = this.newValues();
    for (const quote of moved) this.checkWatchers(quote);
    for (const token of this.indirect) {
      if (!token.isReference) this.evaluateIndirect(token, changes);
    }
    this.indirect.clear();
    this.current = this.newValues();
    for (const quote of this.referenceGuardsDue) this.updateReferenceGuards(quote);
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
        for (const other of this.table.tokensAgainst(token)) this.direct.add(other);
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
    const parts = this.select(token, 0);
    const isDirect = parts.length > 0;
    this.replace(token, [...parts, ...partsAgainstTokens(before, this.table)], changes);
    if (isDirect && wasDirect && token.selection !== before) moved.add(token);
    if (wasDirect === isDirect) return;
    for (const other of this.table.setMoney(token, isDirect)) this.indirect.add(other);
  }

  private evaluatePooled(token: TokenEntry, changes: PriceChanges, moved: Set<TokenEntry>): void {
    const before = token.selection;
    if (before === null) return;
    this.replace(token, before.parts, changes);
    if (token.selection !== before && before.level === LEVEL_DIRECT) moved.add(token);
  }

  private evaluateIndirect(token: TokenEntry, changes: PriceChanges): void {
    const direct = token.selection?.parts.filter(({ quote }) => this.table.token(quote).isReference) ?? [];
    this.replace(token, [...direct, ...this.select(token, 1)], changes);
  }

  private checkWatchers(quote: TokenEntry): void {
    if (!this.guards.isWatched(quote)) return;
    this.referenceGuardsDue.add(quote);
    // Below level 2 the quote prices no other token; its counterparties were marked when it lost that level.
    if (quote.selection?.level !== LEVEL_DIRECT) return;
    this.guards.sweep(quote, 1, asNumber(this.current.rate(quote.id)!), this.indirect);
  }

  /** The rate of a token moves with its references: none by more than they do, as they all do by at most as much. */
  private updateReferenceGuards(quote: TokenEntry): void {
    const rate = quote.selection?.level === LEVEL_DIRECT ? this.current.rate(quote.id) : null;
    const references = new Set(quote.selection?.parts.map((part) => this.table.token(part.quote)) ?? []);
    const watched = [...references].filter(({ isReference, referenceUsd }) => isReference && referenceUsd !== null);
    this.guards.updateReferences(quote, rate === null ? Number.NaN : asNumber(rate), watched);
  }

  private replace(token: TokenEntry, parts: readonly PricePart[], changes: PriceChanges): void {
    const before = token.selection;
    const next = this.selection(token, parts);
    if (sameSelection(before, next)) return;
    if (!changes.selections.has(token)) changes.selections.set(token, before);
    token.selection = next === null ? null : written(next);
  }

  private selection(token: TokenEntry, parts: readonly PricePart[]): Unwritten | null {
    const [first] = parts;
    if (first === undefined) return null;
    const level = this.table.token(first.quote).isReference ? LEVEL_DIRECT : LEVEL_INDIRECT;
    const pooled = level === LEVEL_DIRECT ? roundedUp(token.pooled) : 0n;
    return { parts, decimals: token.decimals!, pooled, level };
  }

  /** The deepest pools that may price the token, among reference pools (0) or pools against level 2 (1). */
  private select(token: TokenEntry, kind: 0 | 1): PricePart[] {
    const candidates: Candidate[] = [];
    if (token.decimals !== null) {
      for (const pool of kind === 0 ? token.referencePools : token.moneyPools) {
        const candidate = this.candidate(token, pool, kind);
        if (candidate !== null) candidates.push(candidate);
      }
    }
    const ranked = inOrder(candidates);
    const chosen = ranked.filter((candidate) => this.setsPrice(candidate)).slice(0, MOST_PARTS);
    const ranges = safeRanges(ranked, chosen, this.minValue);
    this.guard(token, kind, ranges);
    return chosen.map(({ pool, spot }) => pricePart(pool, token, spot));
  }

  private setsPrice({ pool, value }: Candidate): boolean {
    return value >= this.minValue || (value > 0n && poolKinds[pool.record.kind].setsPrice === 'always');
  }

  private candidate(token: TokenEntry, pool: TablePool, kind: 0 | 1): Candidate | null {
    const quote = pool.other(token);
    if (!pool.anchored || quote.decimals === null || pool.reserveOf(quote) <= 0n) return null;
    const usd = kind === 0 ? quote.referenceUsd : this.current.rate(quote.id);
    if (usd === null) return null;
    const spot = pool.spotOf(token);
    if (spot === null) return null;
    const value = quoteValue(backedDepth(pool, token, spot), quote.decimals, usd);
    return value > 0n || kind === 1 ? { pool, quote, usd, value, spot } : null;
  }

  private guard(token: TokenEntry, kind: 0 | 1, ranges: SafeRange[]): void {
    this.guards.update(token, kind, ranges);
    if (kind === 1) for (const range of ranges) this.referenceGuardsDue.add(range.quote);
  }
}

const written = (next: Unwritten): Selection => ({
  parts: next.parts,
  decimals: next.decimals,
  pooled: next.pooled,
  level: next.level,
  text: backingText(next),
});

const partsAgainstTokens = (selection: Selection | null, table: TokenTable): readonly PricePart[] =>
  selection?.parts.filter(({ quote }) => !table.token(quote).isReference) ?? [];

function setReference(token: TokenEntry, usd: E36 | null): void {
  token.referenceUsd = usd;
  token.roughUsd = usd === null ? Number.NaN : asNumber(usd);
}

const asNumber = (usd: E36): number => Number(usd) / 1e36;

type Unwritten = Omit<Selection, 'text'>;

export function sameSelection(a: Unwritten | null, b: Unwritten | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.level !== b.level || a.decimals !== b.decimals || a.pooled !== b.pooled) return false;
  if (a.parts.length !== b.parts.length) return false;
  return a.parts.every((part, at) => part === b.parts[at] || textOf(part) === textOf(b.parts[at]!));
}
