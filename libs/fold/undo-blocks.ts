import type { Hex } from '#libs/core/ids.js';
import type { TickRecord } from '#libs/protocol/blocks.js';
import type { PoolStateFact } from '#libs/protocol/facts.js';
import type { PoolScalars } from './pool-state.js';
import type { PriceBook } from './price-book.js';
import {
  poolDelta,
  priceFacts,
  referenceFacts,
  referenceValues,
  type StateDelta,
  sortIds,
  sortPools,
} from './state-facts.js';
import type { TablePool, TokenTable } from './token-table.js';
import type { BlockUndo } from './undo.js';

interface Touched {
  scalars: PoolScalars;
  ticks: Map<number, TickRecord | null>;
}

/**
 * Undoes blocks, newest first, and returns what is different afterwards: the same facts that comparing the whole states
 * would give.
 */
export function undoBlocks(
  blocks: BlockUndo[],
  table: TokenTable,
  prices: PriceBook,
): StateDelta & { removedPools: Hex[]; removedTokens: Hex[] } {
  const before = new Map<TablePool, Touched>();
  const removedPools: Hex[] = [];
  const removedTokens: Hex[] = [];
  for (const block of blocks) for (const undo of block.pools) remember(before, undo.pool, undo.ticks);
  for (let at = blocks.length - 1; at >= 0; at--) {
    const block = blocks[at]!;
    for (const undo of block.pools) {
      const { pool } = undo;
      for (const [tick, record] of undo.ticks ?? []) pool.restoreTick(tick, record);
      prices.markPool(pool);
      if (undo.before !== null) {
        pool.setScalars(undo.before);
        table.countApart(pool);
      } else {
        table.removePool(pool);
        before.delete(pool);
        removedPools.push(pool.id);
      }
    }
    for (const id of block.tokens) {
      const token = table.token(id);
      token.record = null;
      prices.markToken(token);
      removedTokens.push(id);
    }
  }
  const poolStates: PoolStateFact[] = [];
  for (const [pool, touched] of before) {
    const fact = poolDelta(pool, touched.scalars, touched.ticks);
    if (fact !== null) poolStates.push(fact);
  }
  const referencesBefore = referenceValues(table);
  const changes = prices.evaluate();
  const changed = referenceValues(table).some((usd, at) => usd !== referencesBefore[at]);
  return {
    poolStates: sortPools(poolStates),
    prices: priceFacts(changes.selections),
    references: changed ? referenceFacts(table) : [],
    removedPools: sortIds(removedPools),
    removedTokens: sortIds(removedTokens),
  };
}

function remember(before: Map<TablePool, Touched>, pool: TablePool, ticks: Iterable<[number, unknown]> | null): void {
  let touched = before.get(pool);
  if (touched === undefined) {
    touched = { scalars: pool.scalars(), ticks: new Map() };
    before.set(pool, touched);
  }
  for (const [tick] of ticks ?? []) touched.ticks.set(tick, pool.ticks.get(tick) ?? null);
}
