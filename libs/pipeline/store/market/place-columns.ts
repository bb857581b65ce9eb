import type { PlaceReader } from '#libs/protocol/codec/place-reader.js';
import type { RowBuffer } from '../row-buffer.js';
import { PRICE_LIMIT_E36, VOLUME_LIMIT_E18 } from './table-batch.js';

/** Values of fields that take more than one call to read or to write: what `compileRows` puts between the others. */

export function ordinal(input: PlaceReader, before: number): number {
  const value = before + input.varint();
  if (value < 0 || value > 0xffff_ffff) input.fail(`ordinal ${value}`);
  return value;
}

export function code(input: PlaceReader, known: number): number {
  const value = input.u8();
  if (value >= known) input.fail(`unknown code ${value}`);
  return value;
}

/** An array for one value a row, the same one as long as it is large enough. */
export function room(memory: { values: Float64Array | Int32Array }, rows: number, places: boolean) {
  if (memory.values.length < rows) memory.values = places ? new Int32Array(rows * 2) : new Float64Array(rows * 2);
  return memory.values;
}

/**
 * Appends a list of ticks: their number, then of each its index and the places of its two amounts. Answers where it begins.
 * At 0 is the empty list.
 */
export function readTicks(input: PlaceReader, ticks: number[]): number {
  const count = input.count(3);
  const at = ticks.push(count) - 1;
  let previous = 0;
  for (let i = 0; i < count; i++) {
    previous += input.varint();
    ticks.push(previous, 0, 0);
  }
  for (let i = at; i < at + 3 * count; i += 3) ticks[i + 2] = input.amount();
  for (let i = at; i < at + 3 * count; i += 3) ticks[i + 3] = input.signedAmount();
  return at;
}

export function writeTicks(row: RowBuffer, source: Uint8Array, ticks: readonly number[], at: number): void {
  const count = ticks[at]!;
  row.length(count);
  for (let i = at; i < at + 3 * count; i += 3) {
    row.int32(ticks[i + 1]!);
    row.placedAmount(source, ticks[i + 2]!, 32);
    row.placedSigned(source, ticks[i + 3]!);
  }
}

export function price(row: RowBuffer, source: Uint8Array, place: number): void {
  if (place === 0 || isAtLeast(source, place, PRICE_BYTES)) row.null();
  else {
    row.notNull();
    row.placedAmount(source, place, 32);
  }
}

export function volume(row: RowBuffer, source: Uint8Array, place: number): void {
  if (place === 0 || isAtLeast(source, place, VOLUME_BYTES)) row.null();
  else {
    row.notNull();
    row.placedAmount(source, place, 16);
  }
}

export function amountOrNull(row: RowBuffer, source: Uint8Array, place: number): void {
  if (place === 0) row.null();
  else {
    row.notNull();
    row.placedAmount(source, place, 32);
  }
}

export function amountOrZero(row: RowBuffer, source: Uint8Array, place: number): void {
  if (place === 0) row.uint256(0n);
  else row.placedAmount(source, place, 32);
}

export function idOrNull(row: RowBuffer, source: Uint8Array, place: number): void {
  if (place === 0) row.null();
  else {
    row.notNull();
    row.placedId(source, place);
  }
}

export function textOrNull(row: RowBuffer, source: Uint8Array, place: number): void {
  if (place === 0) row.null();
  else {
    row.notNull();
    row.placedText(source, place);
  }
}

export function decimalsOrNull(row: RowBuffer, decimalsAndOne: number): void {
  if (decimalsAndOne === 0) row.null();
  else {
    row.notNull();
    row.uint8(decimalsAndOne - 1);
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
