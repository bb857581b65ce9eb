import type { ByteReader } from './byte-reader.js';
import type { ByteWriter } from './byte-writer.js';
import type { GroupReader } from './group-frame.js';

/**
 * Columns: one value after the other, their number known from elsewhere. Integers that mostly grow are stored as the
 * difference to the one before, starting from 0.
 */
export function writeDeltas<T>(out: ByteWriter, rows: readonly T[], value: (row: T) => number): void {
  let previous = 0;
  for (const row of rows) {
    const next = value(row);
    out.varint(next - previous);
    previous = next;
  }
}

export function readDeltas(input: ByteReader, count: number): number[] {
  const column: number[] = [];
  let previous = 0;
  for (let i = 0; i < count; i++) {
    previous += input.varint();
    if (!Number.isSafeInteger(previous)) input.fail('integer beyond 2^53');
    column.push(previous);
  }
  return column;
}

export function readIds(input: GroupReader, count: number): string[] {
  const column: string[] = [];
  for (let i = 0; i < count; i++) column.push(input.id());
  return column;
}

export function readLabels(input: GroupReader, count: number): string[] {
  const column: string[] = [];
  for (let i = 0; i < count; i++) column.push(input.label());
  return column;
}

export function readVaruints(input: ByteReader, count: number): number[] {
  const column: number[] = [];
  for (let i = 0; i < count; i++) column.push(input.varuint());
  return column;
}

export function readVarints(input: ByteReader, count: number): number[] {
  const column: number[] = [];
  for (let i = 0; i < count; i++) column.push(input.varint());
  return column;
}

export function readFlags(input: ByteReader, count: number): boolean[] {
  const column: boolean[] = [];
  for (let i = 0; i < count; i++) column.push(input.flag());
  return column;
}

export function readSigned(input: ByteReader, count: number): bigint[] {
  const column: bigint[] = [];
  for (let i = 0; i < count; i++) column.push(input.signed());
  return column;
}

export function readUnsigned(input: ByteReader, count: number): bigint[] {
  const column: bigint[] = [];
  for (let i = 0; i < count; i++) column.push(input.unsigned());
  return column;
}

export function readUnsignedOrNull(input: ByteReader, count: number): (bigint | null)[] {
  const column: (bigint | null)[] = [];
  for (let i = 0; i < count; i++) column.push(input.unsignedOrNull());
  return column;
}

/** Amounts that are mostly equal to their neighbour, such as the coin's price. */
export function readRepeated(input: ByteReader, count: number): (bigint | null)[] {
  const column: (bigint | null)[] = [];
  let previous: bigint | null | undefined;
  for (let i = 0; i < count; i++) {
    previous = input.unsignedOrRepeat(previous);
    column.push(previous);
  }
  return column;
}

export function writeRepeated<T>(out: ByteWriter, rows: readonly T[], value: (row: T) => bigint | null): void {
  let previous: bigint | null | undefined;
  for (const row of rows) {
    const next = value(row);
    out.unsignedOrRepeat(next, previous);
    previous = next;
  }
}
