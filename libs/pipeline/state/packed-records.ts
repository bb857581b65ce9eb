import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';

/** One key of one space with its encoded value; null: there is none. */
export interface PackedRecord {
  space: number;
  key: Hex;
  value: Buffer | null;
}

/** Where a record and its parts are in packed memory. */
export interface RecordPlace {
  readonly space: number;
  readonly from: number;
  readonly keyFrom: number;
  readonly keyEnd: number;
  readonly end: number;
  /** False: the record says that the key has no value. */
  readonly hasValue: boolean;
}

/** Bytes in front of a record's key. */
export const RECORD_HEAD = 7;
const LONG_BYTES = 128;

/**
 * Records one after the other: space (1 byte), bytes of the key (2), bytes of the value plus one (4; 0: no value), key,
 * value. The form of a commit on its way to the commit thread, of undo rows and of an export.
 */
export class RecordPacker {
  private buffer: Buffer;
  private length = 0;
  /** Where the newest record begins, and where its key ends. */
  private newest = 0;
  private keyEnd = 0;

  constructor(private readonly capacity: number) {
    this.buffer = Buffer.allocUnsafeSlow(capacity);
  }

  get isEmpty(): boolean {
    return this.length === 0;
  }

  /** Whether a record of this size still fits. A record that is larger than the whole is taken when nothing else is there. */
  fits(key: Hex, value: Uint8Array | null): boolean {
    return this.length === 0 || this.length + recordBytes(key, value) <= this.capacity;
  }

  add(space: number, key: Hex, value: Uint8Array | null): void {
    const keyAt = this.begin(space, key.length / 2, value);
    this.buffer.write(key, keyAt, 'hex');
  }

  /** A record of the key that the other packer was given last: its bytes are copied, since they need not be made of the text again. */
  addAfter(other: RecordPacker, value: Uint8Array | null): void {
    const { buffer } = other;
    const from = other.newest;
    const keyAt = this.begin(buffer[from]!, buffer.readUInt16LE(from + 1), value);
    copyBytes(buffer, from + RECORD_HEAD, this.buffer, keyAt, this.keyEnd);
  }

  /** All of a record but its key; answers where that goes. */
  private begin(space: number, keyBytes: number, value: Uint8Array | null): number {
    const from = this.length;
    const size = value === null ? 0 : value.length;
    const keyAt = from + RECORD_HEAD;
    const keyEnd = keyAt + keyBytes;
    if (keyEnd + size > this.buffer.length) {
      const grown = Buffer.allocUnsafeSlow(keyEnd + size);
      this.buffer.copy(grown, 0, 0, from);
      this.buffer = grown;
    }
    const { buffer } = this;
    buffer[from] = space;
    buffer.writeUInt16LE(keyBytes, from + 1);
    buffer.writeUInt32LE(value === null ? 0 : size + 1, from + 3);
    if (value !== null) copyBytes(value, 0, buffer, keyEnd, keyEnd + size);
    this.newest = from;
    this.keyEnd = keyEnd;
    this.length = keyEnd + size;
    return keyAt;
  }

  /** What was added, in memory of its own; the packer is empty again. */
  take(): Buffer<ArrayBuffer> {
    const packed = this.buffer.subarray(0, this.length) as Buffer<ArrayBuffer>;
    this.buffer = Buffer.allocUnsafeSlow(this.capacity);
    this.length = 0;
    return packed;
  }
}

/** A call of `set` costs more than the few bytes of most values. */
function copyBytes(source: Uint8Array, from: number, target: Uint8Array, at: number, end: number): void {
  if (end - at > LONG_BYTES) target.set(source.subarray(from, from + end - at), at);
  else for (let to = at, next = from; to < end; to++, next++) target[to] = source[next]!;
}

const recordBytes = (key: Hex, value: Uint8Array | null): number =>
  RECORD_HEAD + key.length / 2 + (value === null ? 0 : value.length);

/** The values are views of `packed`. */
export function* unpackRecords(packed: Buffer): Generator<PackedRecord> {
  for (const place of recordPlaces(packed)) yield recordOf(packed, place);
}

export const recordOf = (packed: Buffer, { space, keyFrom, keyEnd, end, hasValue }: RecordPlace): PackedRecord => ({
  space,
  key: packed.toString('hex', keyFrom, keyEnd),
  value: hasValue ? packed.subarray(keyEnd, end) : null,
});

export function* recordPlaces(packed: Buffer): Generator<RecordPlace> {
  for (let from = 0; from < packed.length; ) {
    const place = recordAt(packed, from);
    if (place === null) throw cutShort();
    yield place;
    from = place.end;
  }
}

/** The record that begins there; null: not all of it is in the memory. */
export function recordAt(packed: Buffer, from: number): RecordPlace | null {
  const keyFrom = from + RECORD_HEAD;
  if (keyFrom > packed.length) return null;
  const keyEnd = keyFrom + packed.readUInt16LE(from + 1);
  const size = packed.readUInt32LE(from + 3);
  const end = keyEnd + Math.max(0, size - 1);
  return end > packed.length ? null : { space: packed[from]!, from, keyFrom, keyEnd, end, hasValue: size > 0 };
}

const cutShort = (): TidepoolError => new TidepoolError('bad_state', 'records of the keyed state are cut short');
