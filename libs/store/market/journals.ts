/** Journals: rows with a `seq`, written from facts groups. Some are copied into another order by a view. */
export const journals = [
  'blocks',
  'retractions',
  'tokens',
  'pools',
  'pool_states',
  'prices',
  'reference_prices',
  'trades',
  'transfers',
] as const;

export type Journal = (typeof journals)[number];

interface JournalCopy {
  table: string;
  /** Rows in the copy for one row of the journal. */
  rows: number;
}

export const journalCopies: Partial<Record<Journal, JournalCopy>> = {
  pools: { table: 'pools_by_token', rows: 2 },
  trades: { table: 'trades_by_quote', rows: 1 },
};

/** Every table with a `seq` of its own, copies included. */
export const seqTables: readonly string[] = [...journals, ...Object.values(journalCopies).map(({ table }) => table)];
