import { journals } from '#libs/pipeline/projections/registry.js';
import { type JournalSpec, tablesOf } from '#libs/pipeline/projections/table.js';
import { StoreError } from '../store-error.js';

/** Every table with a `seq` of its own, copies included. */
export const seqTables: readonly string[] = journals.flatMap((journal) => tablesOf(journal).map(({ name }) => name));

export function journalNamed(table: string): JournalSpec {
  const journal = journals.find(({ name }) => name === table);
  if (journal === undefined) throw new StoreError('store_failed', `${table} is not a journal`);
  return journal;
}
