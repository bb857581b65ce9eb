import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';

/** One key of one space with its encoded value; null: there is none. */
export interface PackedRecord {
  space: number;
  key: Hex;
  value: Buffer | null;
}

const HEAD = 7;

/**
 * Records one after the other: space (1 byte), bytes of the key (2), bytes of the value plus one (4; 0: no value), key,
 * value. The form of a commit on its way to the commit thread, of undo rows and of an export.
 */
export class RecordPacker {
  private buffer: Buffer;
  private length = 0;

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
    const end = this.length + recordBytes(key, value);
    if (end > this.buffer.length) {
      const grown = Buffer.allocUnsafeSlow(end);
      this.buffer.copy(grown, 0, 0, this.length);
      this.buffer = grown;
    }
    const { buffer } = this;
    let at = this.length;
    buffer[at] = space;
    buffer.writeUInt16LE(key.length / 2, at + 1);
    buffer.writeUInt32LE(value === null ? 0 : value.length + 1, at + 3);
    at += HEAD;
    at += buffer.write(key, at, 'hex');
    if (value !== null) buffer.set(value, at);
    this.length = end;
  }

  /** What was added, in memory of its own; the packer is empty again. */
  take(): Buffer<ArrayBuffer> {
    const packed = this.buffer.subarray(0, this.length) as Buffer<ArrayBuffer>;
    this.buffer = Buffer.allocUnsafeSlow(this.capacity);
    this.length = 0;
    return packed;
  }
}

const recordBytes = (key: Hex, value: Uint8Array | null): number =>
  HEAD + key.length / 2 + (value === null ? 0 : value.length);

/** The values are views of `packed`. */
export function* unpackRecords(packed: Buffer): Generator<PackedRecord> {
  for (let at = 0; at < packed.length; ) {
    if (at + HEAD > packed.length) throw cutShort();
    const space = packed[at]!;
    const keyEnd = at + HEAD + packed.readUInt16LE(at + 1);
    const size = packed.readUInt32LE(at + 3);
    const end = keyEnd + Math.max(0, size - 1);
    if (end > packed.length) throw cutShort();
    const key = packed.toString('hex', at + HEAD, keyEnd);
    yield { space, key, value: size === 0 ? null : packed.subarray(keyEnd, end) };
    at = end;
  }
}

const cutShort = (): TidepoolError => new TidepoolError('bad_state', 'records of the keyed state are cut short');
