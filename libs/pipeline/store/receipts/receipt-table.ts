import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeBase58 } from '#libs/core/base58.js';
import type { Hex } from '#libs/core/ids.js';
import {
  type FactsPosition,
  poolsOf,
  type QuoteReceipt,
  type ReceiptLeg,
  receiptDifference,
} from '#libs/protocol/receipts.js';
import { migrate } from '../migrate.js';
import { sqlIdentifier } from '../query-parameters.js';
import { RowBuffer } from '../row-buffer.js';
import type { AnalyticsStore } from '../store.js';

/** Database of what belongs to the router and is derived from no chain. */
const ROUTER_DATABASE = 'tidepool_router';

const columns = [
  ...['id', 'version', 'chain', 'state', 'final', 'quote_id', 'wallet', 'recipient', 'input_mint', 'output_mint'],
  ...['exact', 'in_amount', 'quoted_out', 'simulated_in', 'simulated_out', 'floor', 'slippage_bps', 'fee_bps'],
  ...['venue_id', 'dex', 'pools', 'leg_shares', 'leg_hops'],
  ...['quote_block', 'quote_block_hash', 'build_block', 'build_block_hash', 'built_at', 'deadline'],
  ...['tx', 'block', 'block_hash', 'block_time', 'paid_amount', 'out_amount'],
  ...['difference_bps', 'versus_simulation_bps', 'blocks_later'],
];
const IDS_PER_DELETE = 1_000;
const SEQS = 2 ** 40;
/** Decimal(38, 2). A difference beyond it has no meaning. */
const MOST_HUNDREDTHS = 10n ** 36n;

/** Position in the facts as one number, so that a later value of a receipt has the higher version. */
export const receiptVersion = ({ epoch, seq }: FactsPosition): number => epoch * SEQS + seq + 1;

/**
 * The table `quote_receipts`. Inserting a value again adds a row without effect, so an insert with an unknown outcome
 * is simply repeated.
 */
export class ReceiptTable {
  private readonly table: string;

  constructor(
    private readonly store: AnalyticsStore,
    readonly database: string = ROUTER_DATABASE,
  ) {
    this.table = `${sqlIdentifier(database)}.quote_receipts`;
  }

  async ensure(): Promise<void> {
    await migrate(this.store, this.database, { folder });
  }

  /** Highest version of every id. */
  async versions(): Promise<Map<string, number>> {
    const rows = await this.store.query<{ id: string; version: string }>(
      `SELECT id, max(version) AS version FROM ${this.table} GROUP BY id`,
    );
    return new Map(rows.map(({ id, version }) => [id, Number(version)]));
  }

  async insert(receipts: readonly QuoteReceipt[]): Promise<void> {
    if (receipts.length === 0) return;
    const rows = new RowBuffer(receipts.length * 1_024);
    for (const receipt of receipts) writeRow(rows, receipt);
    await this.store.insert(this.table, columns, rows.take(), null);
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += IDS_PER_DELETE) {
      const some = ids.slice(from, from + IDS_PER_DELETE);
      await this.store.command(`DELETE FROM ${this.table} WHERE id IN {ids:Array(String)}`, { ids: some });
    }
  }
}

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'migrations', 'router');

function writeRow(rows: RowBuffer, receipt: QuoteReceipt): void {
  const { executed, legs } = receipt;
  const shown = receipt.wallet.length === EVM_ADDRESS_DIGITS ? onEvm : onSolana;
  rows.text(receipt.id);
  rows.uint64(receiptVersion(receipt.asOf));
  rows.text(receipt.chain);
  rows.text(receipt.state);
  rows.bool(receipt.final);
  rows.text(receipt.quoteId);
  for (const id of [receipt.wallet, receipt.recipient, receipt.inputMint, receipt.outputMint]) {
    rows.text(shown(id));
  }
  rows.text(receipt.exact);
  const { inAmount, quotedOut, simulatedIn, simulatedOut, threshold } = receipt;
  for (const amount of [inAmount, quotedOut, simulatedIn, simulatedOut, threshold]) rows.uint256(amount);
  rows.uint32(receipt.slippageBps);
  rows.uint32(receipt.feeBps);
  rows.text(receipt.venueId);
  rows.text(receipt.dex);
  list(rows, poolsOf(receipt), (pool) => rows.text(shown(pool)));
  list(rows, legs, ({ shareBps }: ReceiptLeg) => rows.uint32(shareBps));
  list(rows, legs, ({ hops }: ReceiptLeg) => rows.uint32(hops.length));
  for (const { number, hash } of [receipt.quoteBlock, receipt.buildBlock]) {
    rows.uint64(number);
    rows.text(hash === null ? '' : shown(hash));
  }
  rows.int64(receipt.builtAt);
  rows.int64(receipt.deadline);
  nullable(rows, executed, ({ tx }) => rows.text(shown(tx)));
  nullable(rows, executed, ({ block }) => rows.uint64(block));
  nullable(rows, executed, ({ blockHash }) => rows.text(shown(blockHash)));
  nullable(rows, executed, ({ time }) => rows.int64(time));
  nullable(rows, executed, ({ inAmount: paid }) => rows.uint256(paid));
  nullable(rows, executed, ({ outAmount }) => rows.uint256(outAmount));
  for (const promise of ['quote', 'simulation'] as const) {
    const difference = receiptDifference(receipt, promise);
    nullable(rows, difference !== null && isShown(difference) ? difference : null, (value) => rows.decimal128(value));
  }
  nullable(rows, executed, ({ block }) => rows.int64(block - receipt.buildBlock.number));
}

const isShown = (difference: bigint): boolean => difference < MOST_HUNDREDTHS && difference > -MOST_HUNDREDTHS;

/** Ids as people write them; an address of Solana is longer than one of EVM chains. */
const EVM_ADDRESS_DIGITS = 40;
const onEvm = (id: Hex): string => `0x${id}`;
const onSolana = (id: Hex): string => encodeBase58(Buffer.from(id, 'hex'));

function list<T>(rows: RowBuffer, values: readonly T[], write: (value: T) => void): void {
  rows.length(values.length);
  for (const value of values) write(value);
}

function nullable<T>(rows: RowBuffer, value: T | null, write: (value: T) => void): void {
  if (value === null) rows.null();
  else {
    rows.notNull();
    write(value);
  }
}
