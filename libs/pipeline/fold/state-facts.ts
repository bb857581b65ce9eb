import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import type { ValueChange } from '#libs/pipeline/state/space.js';
import { statesPrice, type TickRecord, type TokenRecord } from '#libs/protocol/blocks.js';
import type { ChangedRows, PoolStateFact, PriceFact, ReferencePrice } from '#libs/protocol/facts.js';
import { sameRecord } from './filled-in.js';
import { type HeadValue, poolOfTickKey, type SavedToken, tickOfTickKey } from './fold-spaces.js';
import { type SavedPool, sameStated } from './pool-scalars.js';
import type { PoolState } from './pool-state.js';
import { LEVEL_NONE, type Selection, type TokenTable } from './token-table.js';
import { sameTick } from './undo.js';

/**
 * Facts are written here, and only here: absolute values, sorted by id, ticks ascending, nothing that did not change.
 * So block, retraction and refold always describe the same state with the same bytes.
 */
export interface StateDelta extends Pick<ChangedRows, 'poolStates' | 'prices' | 'references'> {
  removedPools: Hex[];
  removedTokens: Hex[];
  restoredTokens?: TokenRecord[];
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The pool's state as a fact, or null when neither scalars nor ticks differ from before. */
export function poolDelta(
  pool: PoolState,
  before: SavedPool,
  ticksBefore: Iterable<[number, TickRecord | null]>,
): PoolStateFact | null {
  const ticks: TickRecord[] = [];
  for (const [tick, old] of ticksBefore) {
    const now = pool.ticks.get(tick);
    if (!sameTick(old, now)) ticks.push(now ?? noTick(tick));
  }
  if (ticks.length === 0 && sameStated(pool, before)) return null;
  return poolFact(pool, ticks, false);
}

const noTick = (tick: number): TickRecord => ({ tick, liquidityGross: 0n, liquidityNet: 0n });

/** The whole state. */
export function wholePool(pool: SavedPool, ticks: Iterable<TickRecord>): PoolStateFact {
  return poolFact(pool, [...ticks], true);
}

function poolFact(pool: SavedPool, ticks: TickRecord[], ticksComplete: boolean): PoolStateFact {
  const { record, reserve0, reserve1, anchored, setApart } = pool;
  return {
    pool: record.pool,
    reserve0,
    reserve1,
    concentrated: statesPrice(record.kind)
      ? {
          sqrtPriceX96: pool.sqrtPriceX96,
          tick: pool.tick,
          liquidity: pool.liquidity,
          ticks: ticks.sort((a, b) => a.tick - b.tick),
          ticksComplete,
        }
      : null,
    anchored,
    setApart,
  };
}

export function sortPools(facts: PoolStateFact[]): PoolStateFact[] {
  return facts.sort((a, b) => byText(a.pool, b.pool));
}

export function priceFact(token: Hex, selection: Selection | null): PriceFact {
  if (selection === null) return noPrice(token);
  const { level, parts, text } = selection;
  const { pool, quote, spot } = parts[0]!;
  return { token, pool, quote, spot, level, backing: text };
}

const noPrice = (token: Hex): PriceFact => ({
  ...{ token, pool: null, quote: null, spot: null, level: LEVEL_NONE, backing: null },
});

export function sortPrices(facts: PriceFact[]): PriceFact[] {
  return facts.sort((a, b) => byText(a.token, b.token));
}

/** Coin and stables, all of them. */
export function referenceFacts(table: TokenTable, values: readonly (E36 | null)[]): ReferencePrice[] {
  return [table.coin, ...table.stables]
    .map((token, at) => ({ token: token.id, usd: values[at] ?? null }))
    .sort((a, b) => byText(a.token, b.token));
}

export function referenceValues(table: TokenTable): (E36 | null)[] {
  return [table.coin, ...table.stables].map((token) => token.referenceUsd);
}

/** Values by key that a retraction touched: what readers have, and what holds now. */
export interface Touched {
  readonly pools: ReadonlyMap<Hex, ValueChange<SavedPool>>;
  readonly ticks: ReadonlyMap<Hex, ValueChange<TickRecord>>;
  readonly tokens: ReadonlyMap<Hex, ValueChange<SavedToken>>;
  readonly head: ValueChange<HeadValue> | undefined;
}

/** The facts that turn a reader's state into what holds now; no pool and no token is there now that was not before. */
export function retractionDelta(
  touched: Touched,
  poolNow: (pool: Hex) => SavedPool | null,
  table: TokenTable,
): StateDelta {
  const poolStates: PoolStateFact[] = [];
  const removedPools: Hex[] = [];
  const ticks = changedTicks(touched.ticks);
  for (const pool of new Set([...touched.pools.keys(), ...ticks.keys()])) {
    const change = touched.pools.get(pool);
    const now = change === undefined ? poolNow(pool) : change.after;
    if (now === null) {
      if (change?.before) removedPools.push(pool);
    } else if (ticks.has(pool) || (change?.before && !sameStated(change.before, now)))
      poolStates.push(poolFact(now, ticks.get(pool) ?? [], false));
  }
  const prices: PriceFact[] = [];
  const removedTokens: Hex[] = [];
  const restored: TokenRecord[] = [];
  for (const [token, { before, after }] of touched.tokens) {
    if (before?.record && !after?.record) removedTokens.push(token);
    if (before?.record && after?.record && !sameRecord(before.record, after.record)) restored.push(after.record);
    const price = after?.price ?? null;
    if (!samePrice(before?.price ?? null, price)) prices.push(price ?? noPrice(token));
  }
  const { head } = touched;
  const [was, is] = [head?.before?.references ?? [], head?.after?.references ?? []];
  return {
    poolStates: sortPools(poolStates),
    prices: sortPrices(prices),
    references: is.some((usd, at) => usd !== was[at]) ? referenceFacts(table, is) : [],
    removedPools: removedPools.sort(byText),
    removedTokens: removedTokens.sort(byText),
    ...(restored.length > 0 && { restoredTokens: restored.sort((a, b) => byText(a.token, b.token)) }),
  };
}

function changedTicks(changes: Touched['ticks']): Map<Hex, TickRecord[]> {
  const byPool = new Map<Hex, TickRecord[]>();
  for (const [key, { before, after }] of changes) {
    if (sameTick(before, after)) continue;
    const pool = poolOfTickKey(key);
    const tick = after ?? noTick(tickOfTickKey(key));
    const known = byPool.get(pool);
    if (known === undefined) byPool.set(pool, [tick]);
    else known.push(tick);
  }
  return byPool;
}

export function samePrice(a: PriceFact | null, b: PriceFact | null): boolean {
  if (a === null || b === null) return a === b;
  return a.backing === b.backing && a.level === b.level;
}
