import { PlaceReader } from '#libs/protocol/codec/place-reader.js';
import { POOL_KINDS } from '#libs/protocol/codec/registry-records.js';
import type { FactsHead } from '#libs/protocol/facts.js';
import { RowBuffer } from '../row-buffer.js';
import type { Journal } from './journals.js';
import { PRICE_LIMIT_E36, type TableBatch, tableBatches, VOLUME_LIMIT_E18 } from './table-batch.js';

/**
 * Encoded facts groups as table rows, from bytes to bytes: ids and amounts are copied and never become strings and bigints.
 * Invariant: the batches are those of `encodeTables` for the decoded groups, byte for byte.
 */
export class FactsRows {
  private readonly tables = new Map<Journal, { buffer: RowBuffer; rows: number }>();
  private readonly place = new Uint8Array(24);
  private readonly trades = new Columns(18);
  private readonly transfers = new Columns(6);

  /** Takes the rows of one group. Throws UndecodableError, and then none of the batches may be used. */
  add(encoded: Uint8Array): FactsHead {
    const input = new PlaceReader(encoded, 'facts');
    const { kind, chain, epoch, seq, height, hash, parentHash, time, inputHash } = input.header;
    const envelope = { chain, epoch, seq, height, hash, parentHash, time, inputHash: inputHash ?? '' };
    switch (kind) {
      case 'epoch':
        return { kind, ...envelope };
      case 'finalize': {
        const finalizedHeight = input.varint();
        input.expectEnd();
        return { kind, ...envelope, finalizedHeight };
      }
      case 'retract': {
        const fromSeq = input.varuint();
        this.setPlace(seq, height, time);
        const row = this.begin('retractions');
        row.hex(hash);
        row.uint64(fromSeq);
        this.state(input);
        input.skipIds();
        input.skipIds();
        input.expectEnd();
        return { kind, ...envelope, fromSeq };
      }
      case 'block': {
        this.setPlace(seq, height, time);
        const row = this.begin('blocks');
        row.hex(hash);
        row.hex(parentHash);
        this.addTrades(input);
        this.addTransfers(input);
        this.addTokens(input);
        this.addPools(input);
        this.state(input);
        input.expectEnd();
        return { kind, ...envelope };
      }
    }
  }

  /** The rows of every table so far, in the order of `columnsAfterPlace`. */
  batches(): TableBatch[] {
    return tableBatches(this.tables);
  }

  private begin(table: Journal): RowBuffer {
    let entry = this.tables.get(table);
    if (entry === undefined) {
      entry = { buffer: new RowBuffer(), rows: 0 };
      this.tables.set(table, entry);
    }
    entry.rows++;
    entry.buffer.place(this.place);
    return entry.buffer;
  }

  /** A buffer for several rows of one table; each begins with the place. */
  private many(table: Journal, rows: number): RowBuffer {
    const buffer = this.begin(table);
    this.tables.get(table)!.rows += rows - 1;
    return buffer;
  }

  private setPlace(seq: number, height: number, time: number): void {
    const row = new RowBuffer(24);
    row.uint64(seq);
    row.uint64(height);
    row.int64(time);
    this.place.set(row.take());
  }

  private addTrades(input: PlaceReader): void {
    const count = input.count(18);
    if (count === 0) return;
    const columns = this.trades.of(count);
    const ordinal = deltas(input, count, columns[0]!);
    const txOrdinal = varuints(input, count, columns[1]!);
    const tx = ids(input, count, columns[2]!);
    const wallet = ids(input, count, columns[3]!);
    const pool = ids(input, count, columns[4]!);
    const venue = Array.from({ length: count }, () => input.label());
    const base = ids(input, count, columns[6]!);
    const quote = ids(input, count, columns[7]!);
    const baseDecimals = varuints(input, count, columns[8]!);
    const quoteDecimals = varuints(input, count, columns[9]!);
    const sells = flags(input, count, columns[10]!);
    const counted = flags(input, count, columns[11]!);
    const baseAmount = amounts(input, count, columns[12]!);
    const quoteAmount = amounts(input, count, columns[13]!);
    const priceUsd = amountsOrNull(input, count, columns[14]!);
    const coinUsd = repeated(input, count, columns[15]!);
    const volumeUsd = amountsOrNull(input, count, columns[16]!);
    const volumeCoin = amountsOrNull(input, count, columns[17]!);
    const { source } = input;
    const row = this.many('trades', count);
    for (let i = 0; i < count; i++) {
      if (i > 0) row.place(this.place);
      row.uint32(ordinal[i]!);
      row.placedId(source, tx[i]!);
      row.uint32(txOrdinal[i]!);
      row.placedId(source, wallet[i]!);
      row.placedId(source, pool[i]!);
      row.text(venue[i]!);
      row.placedId(source, base[i]!);
      row.placedId(source, quote[i]!);
      row.uint8(baseDecimals[i]!);
      row.uint8(quoteDecimals[i]!);
      row.uint8(sells[i] === 1 ? 2 : 1);
      row.placedAmount(source, baseAmount[i]!, 32);
      row.placedAmount(source, quoteAmount[i]!, 32);
      price(row, source, priceUsd[i]!);
      price(row, source, coinUsd[i]!);
      volume(row, source, volumeUsd[i]!);
      volume(row, source, volumeCoin[i]!);
      row.bool(counted[i] === 1);
    }
  }

  private addTransfers(input: PlaceReader): void {
    const count = input.count(6);
    if (count === 0) return;
    const columns = this.transfers.of(count);
    const ordinal = deltas(input, count, columns[0]!);
    const tx = ids(input, count, columns[1]!);
    const token = ids(input, count, columns[2]!);
    const from = ids(input, count, columns[3]!);
    const to = ids(input, count, columns[4]!);
    const amount = amounts(input, count, columns[5]!);
    const { source } = input;
    const row = this.many('transfers', count);
    for (let i = 0; i < count; i++) {
      if (i > 0) row.place(this.place);
      row.uint32(ordinal[i]!);
      row.placedId(source, tx[i]!);
      row.placedId(source, token[i]!);
      row.placedId(source, from[i]!);
      row.placedId(source, to[i]!);
      row.placedAmount(source, amount[i]!, 32);
    }
  }

  private addTokens(input: PlaceReader): void {
    const { source } = input;
    for (let left = input.count(5); left > 0; left--) {
      const row = this.begin('tokens');
      row.placedId(source, input.id());
      const decimals = input.varuint();
      if (decimals === 0) row.null();
      else {
        row.notNull();
        row.uint8(decimals - 1);
      }
      textOrNull(row, input.textOrNull());
      textOrNull(row, input.textOrNull());
      const supply = input.amountOrNull();
      if (supply === 0) row.null();
      else {
        row.notNull();
        row.placedAmount(source, supply, 32);
      }
    }
  }

  private addPools(input: PlaceReader): void {
    const { source } = input;
    for (let left = input.count(8); left > 0; left--) {
      const row = this.begin('pools');
      row.placedId(source, input.id());
      row.text(input.label());
      const kind = input.u8();
      row.text(POOL_KINDS[kind] ?? input.fail('unknown pool kind'));
      row.placedId(source, input.id());
      row.placedId(source, input.id());
      row.uint32(input.varuint());
      row.int32(input.varuint());
      row.bool(input.flag());
    }
  }

  private state(input: PlaceReader): void {
    for (let left = input.count(5); left > 0; left--) this.addPoolState(input);
    this.addPrices(input);
    const { source } = input;
    for (let left = input.count(2); left > 0; left--) {
      const row = this.begin('reference_prices');
      row.placedId(source, input.id());
      price(row, source, input.amountOrNull());
    }
  }

  private addPoolState(input: PlaceReader): void {
    const { source } = input;
    const row = this.begin('pool_states');
    row.placedId(source, input.id());
    signedAmount(row, source, input.amount());
    signedAmount(row, source, input.amount());
    const anchored = input.flag();
    const concentrated = input.flag();
    row.bool(concentrated);
    if (concentrated) {
      row.placedAmount(source, input.amount(), 32);
      row.int32(input.varint());
      row.placedAmount(source, input.amount(), 32);
      const complete = input.flag();
      addTicks(row, input);
      row.bool(complete);
    } else {
      row.uint256(0n);
      row.int32(0);
      row.uint256(0n);
      row.length(0);
      row.bool(false);
    }
    row.bool(anchored);
  }

  private addPrices(input: PlaceReader): void {
    const { source } = input;
    for (let left = input.count(5); left > 0; left--) {
      const row = this.begin('prices');
      row.placedId(source, input.id());
      idOrNull(row, source, input.idOrNull());
      idOrNull(row, source, input.idOrNull());
      price(row, source, input.amountOrNull());
      row.uint8(input.u8());
    }
  }
}

/** Column arrays that are used again from group to group. */
class Columns {
  private columns: Int32Array[];

  constructor(private readonly count: number) {
    this.columns = this.make(256);
  }

  of(rows: number): readonly Int32Array[] {
    if (rows > this.columns[0]!.length) this.columns = this.make(rows * 2);
    return this.columns;
  }

  private make(rows: number): Int32Array[] {
    return Array.from({ length: this.count }, () => new Int32Array(rows));
  }
}

function deltas(input: PlaceReader, count: number, column: Int32Array): Int32Array {
  let previous = 0;
  for (let i = 0; i < count; i++) {
    previous += input.varint();
    if (previous < 0 || previous > 0x7fff_ffff) input.fail(`ordinal ${previous}`);
    column[i] = previous;
  }
  return column;
}

function varuints(input: PlaceReader, count: number, column: Int32Array): Int32Array {
  for (let i = 0; i < count; i++) {
    const value = input.varuint();
    if (value > 0x7fff_ffff) input.fail(`number ${value}`);
    column[i] = value;
  }
  return column;
}

function ids(input: PlaceReader, count: number, column: Int32Array): Int32Array {
  for (let i = 0; i < count; i++) column[i] = input.id();
  return column;
}

function flags(input: PlaceReader, count: number, column: Int32Array): Int32Array {
  for (let i = 0; i < count; i++) column[i] = input.flag() ? 1 : 0;
  return column;
}

function amounts(input: PlaceReader, count: number, column: Int32Array): Int32Array {
  for (let i = 0; i < count; i++) column[i] = input.amount();
  return column;
}

function amountsOrNull(input: PlaceReader, count: number, column: Int32Array): Int32Array {
  for (let i = 0; i < count; i++) column[i] = input.amountOrNull();
  return column;
}

function repeated(input: PlaceReader, count: number, column: Int32Array): Int32Array {
  let previous = -1;
  for (let i = 0; i < count; i++) {
    previous = input.amountOrRepeat(previous);
    column[i] = previous;
  }
  return column;
}

function addTicks(row: RowBuffer, input: PlaceReader): void {
  const count = input.count(3);
  row.length(count);
  const ticks: number[] = [];
  let previous = 0;
  for (let i = 0; i < count; i++) {
    previous += input.varint();
    ticks.push(previous);
  }
  const gross = Array.from({ length: count }, () => input.amount());
  for (let i = 0; i < count; i++) {
    row.int32(ticks[i]!);
    row.placedAmount(input.source, gross[i]!, 32);
    row.int256(input.signed());
  }
}

/** In an Int256: the highest bit must stay free. */
function signedAmount(row: RowBuffer, source: Uint8Array, place: number): void {
  if (source[place] === 32 && source[place + 32]! > 0x7f) throw new RangeError('not an Int256: 256 bits');
  row.placedAmount(source, place, 32);
}

function price(row: RowBuffer, source: Uint8Array, place: number): void {
  if (place === 0 || isAtLeast(source, place, PRICE_BYTES)) row.null();
  else {
    row.notNull();
    row.placedAmount(source, place, 32);
  }
}

function volume(row: RowBuffer, source: Uint8Array, place: number): void {
  if (place === 0 || isAtLeast(source, place, VOLUME_BYTES)) row.null();
  else {
    row.notNull();
    row.placedAmount(source, place, 16);
  }
}

function idOrNull(row: RowBuffer, source: Uint8Array, place: number): void {
  if (place === 0) row.null();
  else {
    row.notNull();
    row.placedId(source, place);
  }
}

function textOrNull(row: RowBuffer, value: string | null): void {
  if (value === null) row.null();
  else {
    row.notNull();
    row.text(value);
  }
}

const PRICE_BYTES = lowestFirst(PRICE_LIMIT_E36);
const VOLUME_BYTES = lowestFirst(VOLUME_LIMIT_E18);

function lowestFirst(value: bigint): readonly number[] {
  const bytes: number[] = [];
  for (let rest = value; rest > 0n; rest >>= 8n) bytes.push(Number(rest & 0xffn));
  return bytes;
}

function isAtLeast(source: Uint8Array, place: number, limit: readonly number[]): boolean {
  const size = source[place]!;
  if (size !== limit.length) return size > limit.length;
  for (let k = size - 1; k >= 0; k--) {
    const difference = source[place + 1 + k]! - limit[k]!;
    if (difference !== 0) return difference > 0;
  }
  return true;
}
