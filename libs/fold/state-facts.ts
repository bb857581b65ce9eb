import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import type { TickRecord } from '#libs/protocol/blocks.js';
import type { PoolStateFact, PriceFact, ReferencePrice } from '#libs/protocol/facts.js';
import type { PoolScalars, PoolState } from './pool-state.js';
import { sameSelection } from './price-book.js';
import { LEVEL_NONE, type Selection, type TokenEntry, type TokenTable } from './token-table.js';
import { sameTick } from './undo.js';

/**
 * Facts are written here, and only here: absolute values, sorted by id, ticks ascending, nothing that did not change.
 * So block, undo and refold always describe the same state with the same bytes.
 */
export interface StateDelta {
  poolStates: PoolStateFact[];
  prices: PriceFact[];
  references: ReferencePrice[];
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The pool's state as a fact, or null when neither scalars nor ticks differ from before. */
export function poolDelta(
  pool: PoolState,
  before: PoolScalars,
  ticksBefore: Iterable<[number, TickRecord | null]>,
): PoolStateFact | null {
  const ticks: TickRecord[] = [];
  for (const [tick, old] of ticksBefore) {
    const now = pool.ticks.get(tick);
    if (!sameTick(old, now)) ticks.push(now ?? { tick, liquidityGross: 0n, liquidityNet: 0n });
  }
  if (ticks.length === 0 && pool.sameScalars(before)) return null;
  return poolFact(pool, ticks, false);
}

/** The whole state. */
export function wholePool(pool: PoolState): PoolStateFact {
  return poolFact(pool, [...pool.ticks.values()], true);
}

function poolFact(pool: PoolState, ticks: TickRecord[], ticksComplete: boolean): PoolStateFact {
  return {
    pool: pool.id,
    reserve0: pool.reserve0,
    reserve1: pool.reserve1,
    concentrated: pool.statesPrice
      ? {
          sqrtPriceX96: pool.sqrtPriceX96,
          tick: pool.tick,
          liquidity: pool.liquidity,
          ticks: ticks.sort((a, b) => a.tick - b.tick),
          ticksComplete,
        }
      : null,
    anchored: pool.anchored,
    setApart: pool.setApart,
  };
}

export function sortPools(facts: PoolStateFact[]): PoolStateFact[] {
  return facts.sort((a, b) => byText(a.pool, b.pool));
}

export function sortIds(ids: Hex[]): Hex[] {
  return ids.sort(byText);
}

function priceFact(token: Hex, selection: Selection | null): PriceFact {
  if (selection === null) return { token, pool: null, quote: null, spot: null, level: LEVEL_NONE };
  const { pool, quote, spot, level } = selection;
  return { token, pool: pool.id, quote: quote.id, spot, level };
}

/** Tokens whose selection is another one now. */
export function priceFacts(changed: Iterable<[TokenEntry, Selection | null]>): PriceFact[] {
  const facts: PriceFact[] = [];
  for (const [token, before] of changed) {
    if (!sameSelection(before, token.selection)) facts.push(priceFact(token.id, token.selection));
  }
  return facts.sort((a, b) => byText(a.token, b.token));
}

/** Coin and stables, all of them. */
export function referenceFacts(table: TokenTable): ReferencePrice[] {
  return [table.coin, ...table.stables]
    .map((token) => ({ token: token.id, usd: token.referenceUsd }))
    .sort((a, b) => byText(a.token, b.token));
}

export function referenceValues(table: TokenTable): (E36 | null)[] {
  return [table.coin, ...table.stables].map((token) => token.referenceUsd);
}

/** The facts that turn a reader's `before` into `after`; `after` has no pool that `before` does not have. */
export function wholeStateDelta(
  before: TokenTable,
  after: TokenTable,
): StateDelta & { removedPools: Hex[]; removedTokens: Hex[] } {
  const poolStates: PoolStateFact[] = [];
  const removedPools: Hex[] = [];
  for (const [id, old] of before.pools) {
    const now = after.pools.get(id);
    if (now === undefined) {
      removedPools.push(id);
      continue;
    }
    const fact = poolDelta(now, old.scalars(), ticksOfBoth(old, now));
    if (fact !== null) poolStates.push(fact);
  }
  const prices: PriceFact[] = [];
  const removedTokens: Hex[] = [];
  for (const [id, old] of before.tokens) {
    const now = after.tokens.get(id);
    if (old.record !== null && !now?.record) removedTokens.push(id);
    const selection = now?.selection ?? null;
    if (!sameByIds(old.selection, selection)) prices.push(priceFact(id, selection));
  }
  const changed = referenceValues(before).some((usd, at) => usd !== referenceValues(after)[at]);
  return {
    poolStates: sortPools(poolStates),
    prices: prices.sort((a, b) => byText(a.token, b.token)),
    references: changed ? referenceFacts(after) : [],
    removedPools: sortIds(removedPools),
    removedTokens: sortIds(removedTokens),
  };
}

function* ticksOfBoth(old: PoolState, now: PoolState): Generator<[number, TickRecord | null]> {
  for (const entry of old.ticks) yield entry;
  for (const tick of now.ticks.keys()) if (!old.ticks.has(tick)) yield [tick, null];
}

/** Selections of two different tables: their objects are not the same, their ids are. */
function sameByIds(a: Selection | null, b: Selection | null): boolean {
  if (a === null || b === null) return a === b;
  return a.pool.id === b.pool.id && a.spot === b.spot && a.level === b.level && a.quote.id === b.quote.id;
}
