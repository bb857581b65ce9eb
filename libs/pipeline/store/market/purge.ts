import { journals } from '#libs/pipeline/projections/registry.js';
import { tablesOf } from '#libs/pipeline/projections/table.js';
import type { MarketTables } from './market-tables.js';
import type { RetractedRange } from './view.js';

/**
 * Deletes the rows of retracted ranges. Only for ranges that no pinned view needs any more: the checkpoint says so in
 * `purgedSeq` before the first row goes (protocol rule 19). The record of the retractions themselves stays.
 */
export async function purgeRetracted(tables: MarketTables, ranges: readonly RetractedRange[]): Promise<void> {
  if (ranges.length === 0) return;
  const params: Record<string, number> = {};
  const parts = ranges.map(({ fromSeq, retractSeq }, index) => {
    params[`from_${index}`] = fromSeq;
    params[`to_${index}`] = retractSeq;
    return `(seq >= {from_${index}:UInt64} AND seq < {to_${index}:UInt64})`;
  });
  const retracted = journals.filter(({ outlivesRetraction }) => !outlivesRetraction).flatMap(tablesOf);
  for (const { name } of retracted) {
    await tables.store.command(`DELETE FROM ${tables.database}.${name} WHERE ${parts.join(' OR ')}`, params);
  }
}
