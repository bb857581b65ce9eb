import type { AnalyticsStore } from '../store.js';
import { marketDatabase } from './market-tables.js';

export interface TableSize {
  table: string;
  rows: number;
  bytes: number;
}

/** What the tables of a generation take on disk; those without a row are left out. */
export async function tableSizes(store: AnalyticsStore, chain: string, generation: number): Promise<TableSize[]> {
  const rows = await store.query<Record<string, string>>(
    `SELECT table, sum(rows) AS rows, sum(bytes_on_disk) AS bytes FROM system.parts
     WHERE database = {database:String} AND active GROUP BY table ORDER BY table`,
    { database: marketDatabase(chain, generation) },
  );
  return rows.map(({ table, rows, bytes }) => ({ table: table!, rows: Number(rows), bytes: Number(bytes) }));
}

/** Tables and copies of a generation, by name. */
export async function tableNames(store: AnalyticsStore, chain: string, generation: number): Promise<string[]> {
  const rows = await store.query<{ name: string }>(
    'SELECT name FROM system.tables WHERE database = {database:String} ORDER BY name',
    { database: marketDatabase(chain, generation) },
  );
  return rows.map(({ name }) => name);
}
