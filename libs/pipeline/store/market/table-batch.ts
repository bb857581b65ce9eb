import { journals } from '#libs/pipeline/projections/registry.js';
import { placeColumns } from '#libs/pipeline/projections/table.js';
import type { RowBuffer } from '../row-buffer.js';

/** Rows of one table, ready to insert. */
export interface TableBatch {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: number;
  /** RowBinary in the order of `columns`. */
  readonly body: Buffer;
}

/** First price that a Decimal(76, 36) and first volume that a Decimal(38, 18) cannot hold. */
export const PRICE_LIMIT_E36 = 10n ** 76n;
export const VOLUME_LIMIT_E18 = 10n ** 38n;

/** Rows of some tables as they are being written, by table. */
export type OpenTables = ReadonlyMap<string, { readonly buffer: RowBuffer; readonly rows: number }>;

/** The rows of every table, in the order of the journals; the buffers must not be written to any more. */
export function tableBatches(open: OpenTables): TableBatch[] {
  return journals.flatMap(({ name, columns }) => {
    const entry = open.get(name);
    if (entry === undefined) return [];
    const names = [...placeColumns, ...columns].map((column) => column.name);
    return [{ table: name, columns: names, rows: entry.rows, body: entry.buffer.take() }];
  });
}
