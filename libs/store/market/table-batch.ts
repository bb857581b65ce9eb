import type { RowBuffer } from '../row-buffer.js';
import type { Journal } from './journals.js';

/** Rows of one table, ready to insert. */
export interface TableBatch {
  readonly table: Journal;
  readonly columns: readonly string[];
  readonly rows: number;
  /** RowBinary in the order of `columns`. */
  readonly body: Buffer;
}

/** First price that a Decimal(76, 36) and first volume that a Decimal(38, 18) cannot hold. */
export const PRICE_LIMIT_E36 = 10n ** 76n;
export const VOLUME_LIMIT_E18 = 10n ** 38n;

/** Columns after `seq, block, time`, which every row begins with. */
export const columnsAfterPlace: Record<Journal, readonly string[]> = {
  blocks: ['hash', 'parent'],
  retractions: ['hash', 'from_seq'],
  tokens: ['token', 'decimals', 'symbol', 'name', 'total_supply'],
  pools: ['pool', 'venue', 'kind', 'token0', 'token1', 'fee_ppm', 'tick_spacing', 'created'],
  pool_states: [
    ...['pool', 'reserve0', 'reserve1', 'concentrated', 'sqrt_price_x96', 'tick', 'liquidity'],
    ...['ticks', 'ticks_complete', 'anchored'],
  ],
  prices: ['token', 'pool', 'quote', 'spot', 'level'],
  reference_prices: ['token', 'usd'],
  trades: [
    ...['ordinal', 'tx', 'tx_ordinal', 'wallet', 'pool', 'venue', 'base', 'quote', 'base_decimals', 'quote_decimals'],
    ...['side', 'base_amount', 'quote_amount', 'price_usd', 'coin_usd', 'volume_usd', 'volume_coin', 'counted'],
  ],
  transfers: ['ordinal', 'tx', 'token', 'from_wallet', 'to_wallet', 'amount'],
};

/** Rows of some tables as they are being written, by table. */
export type OpenTables = ReadonlyMap<Journal, { readonly buffer: RowBuffer; readonly rows: number }>;

/** The rows of every table, in the order of `columnsAfterPlace`; the buffers must not be written to any more. */
export function tableBatches(open: OpenTables): TableBatch[] {
  const batches: TableBatch[] = [];
  for (const table of Object.keys(columnsAfterPlace) as Journal[]) {
    const entry = open.get(table);
    if (entry === undefined) continue;
    const columns = ['seq', 'block', 'time', ...columnsAfterPlace[table]];
    batches.push({ table, columns, rows: entry.rows, body: entry.buffer.take() });
  }
  return batches;
}
