import type { E36 } from '#libs/core/money.js';
import type { BlockProof } from '#libs/protocol/blocks.js';
import type { PriceFact } from '#libs/protocol/facts.js';
import type { FoldParts } from './fold-parts.js';
import { THE_ONE_KEY, tickKey } from './fold-spaces.js';
import type { FoldStore } from './fold-store.js';
import { sameScalars } from './pool-scalars.js';
import { type PriceChanges, sameSelection } from './price-book.js';
import { priceFact, referenceValues, sortPrices } from './state-facts.js';
import { type TablePool, type TokenEntry } from './token-table.js';
import { type BlockUndo, sameTick } from './undo.js';

/**
 * Sets in the keyed state what a block changed. Invariant: afterwards the state has what the objects have, so that any of them
 * may go. (Guards and the lists of pools are set while they change.)
 */
export function saveBlock(
  { store, table }: FoldParts,
  undo: BlockUndo,
  named: readonly TokenEntry[],
  /** Whose pooled amounts changed. */
  pooled: readonly TokenEntry[],
  changes: PriceChanges,
  proof: BlockProof | null,
): { references: readonly (E36 | null)[]; priceChanges: PriceFact[] } {
  let apart = 0;
  for (const { pool, before, ticks } of undo.pools) {
    apart += Number(pool.setApart !== null) - Number(before !== null && before.setApart !== null);
    if (ticks !== null) {
      table.countTicks(ticks.size);
      saveTicks(store, pool, ticks);
    }
    if (before !== null && sameScalars(pool, before)) continue;
    pool.saved = pool.toSave();
    store.pools.replace(pool.id, before, pool.saved);
  }
  for (const token of table.fresh) saveToken(store, token, null);
  table.fresh.length = 0;
  for (const token of named) saveToken(store, token, token.saved?.price ?? null);
  for (const token of pooled) saveToken(store, token, token.saved?.price ?? null);
  const priceChanges: PriceFact[] = [];
  for (const [token, before] of changes.selections) {
    if (sameSelection(before, token.selection)) continue;
    const fact = priceFact(token.id, token.selection);
    saveToken(store, token, token.selection === null ? null : fact);
    priceChanges.push(fact);
  }
  const head = store.headValue!;
  const references = changes.referencesChanged ? referenceValues(table) : head.references;
  if (apart !== 0 || changes.referencesChanged || proof !== head.proof)
    store.head.replace(THE_ONE_KEY, head, { references, poolsSetApart: head.poolsSetApart + apart, proof });
  return { references, priceChanges: sortPrices(priceChanges) };
}

function saveToken(store: FoldStore, token: TokenEntry, price: PriceFact | null): void {
  const saved = { record: token.record, price, pooled: token.pooled };
  store.tokens.replace(token.id, token.saved, saved);
  token.saved = saved;
}

function saveTicks(store: FoldStore, pool: TablePool, before: NonNullable<BlockUndo['pools'][number]['ticks']>): void {
  for (const [tick, old] of before) {
    const now = pool.ticks.get(tick) ?? null;
    if (!sameTick(old, now)) store.ticks.replace(tickKey(pool.id, tick), old, now);
  }
}
