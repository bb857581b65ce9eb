import { derivedTables, journals } from '#libs/pipeline/projections/registry.js';
import { contentOf, tablesOf } from '#libs/pipeline/projections/table.js';
import type { MarketTables } from '../market/market-tables.js';
import { type View, visible } from '../market/view.js';
import { SCAN } from '../store.js';

export interface TableHashOptions {
  /**
   * Compare the result of two histories and not how it came about: no `seq`, and of states and prices only the newest
   * of each key without its place. Rows that a retraction wrote to restore a state then count as the state they
   * restore.
   */
  ignoreSeq?: boolean;
  /** These tables alone; all of them when absent. */
  only?: readonly string[];
}

/**
 * One hash a table over the rows that a view sees, whatever their order: the number of rows and the sum of a 128-bit
 * hash of each. Candles count in their newest sealed versions for buckets that end at or before the view's sealedTime.
 */
export async function tableHashes(
  tables: MarketTables,
  view: View,
  options: TableHashOptions = {},
): Promise<Record<string, string>> {
  const rows = visible(view);
  const selections = options.ignoreSeq ? outcomes(tables.database, rows.sql) : histories(tables.database, rows.sql);
  const params = { ...rows.params, seal_seq: view.sealSeq, sealed_time: view.sealedTime };
  const hashes: Record<string, string> = {};
  for (const [table, selection] of Object.entries({ ...selections, ...derived(tables.database, rows.sql) })) {
    if (options.only?.includes(table) === false) continue;
    const [found] = await tables.store.query<{ rows: string; hash: string }>(
      `SELECT count() AS rows, lower(hex(sum(reinterpretAsUInt128(sipHash128(toString(content)))))) AS hash FROM (${selection})`,
      params,
      { ...SCAN, maxSeconds: 600 },
    );
    hashes[table] = `${found!.rows}:${found!.hash}`;
  }
  return hashes;
}

function all(database: string, table: string, condition: string, content: string): string {
  return `SELECT (${content}) AS content FROM ${database}.${table} WHERE ${condition}`;
}

/** Every visible row of every journal and copy, in full. */
function histories(database: string, condition: string): Record<string, string> {
  const selections: Record<string, string> = {};
  for (const journal of journals) {
    const rows = journal.outlivesRetraction ? 'seq <= {view_seq:Int64}' : condition;
    for (const { name, columns } of tablesOf(journal)) selections[name] = all(database, name, rows, contentOf(columns));
  }
  return selections;
}

/** What the visible history leaves: rows of surviving blocks without their seq, and of keyed values the newest of each key. */
function outcomes(database: string, condition: string): Record<string, string> {
  const selections: Record<string, string> = {};
  for (const journal of journals) {
    if (journal.outcome !== undefined) Object.assign(selections, journal.outcome?.(database, condition));
    else {
      for (const { name, columns } of tablesOf(journal)) {
        const content = contentOf(columns.filter((column) => column.name !== 'seq'));
        selections[name] = all(database, name, condition, content);
      }
    }
  }
  return selections;
}

/** Tables that are computed from journals: what the view sees of them, either way. */
function derived(database: string, condition: string): Record<string, string> {
  return Object.assign({}, ...derivedTables.map(({ content }) => content(database, condition)));
}
