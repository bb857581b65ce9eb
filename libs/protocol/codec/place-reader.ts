import { ByteReader } from './byte-reader.js';
import { MAX_AMOUNT_BYTES, NEGATIVE, NULL_AMOUNT, REPEATED_AMOUNT } from './byte-writer.js';
import { type GroupHeader, MAX_ID_BYTES, type RecordType, readGroupHeader } from './group-header.js';

/**
 * Reads an encoded group without making ids and amounts: it answers the place of each in the bytes, for copying from one
 * binary form to another. At its place an id is a length byte and its bytes, an amount a length byte and its bytes, lowest
 * first. Every place is inside the bytes and an amount is in its shortest form. Only the full decoder checks that a
 * dictionary lists nothing twice and nothing unused.
 */
export class PlaceReader extends ByteReader {
  readonly header: GroupHeader;
  private readonly idPlaces: Int32Array;
  readonly labels: readonly string[];

  constructor(bytes: Uint8Array, record: RecordType) {
    super(bytes, `${record} group`);
    this.header = readGroupHeader(this);
    if (this.header.record !== record) this.fail(`a ${this.header.record} group`);
    const ids = this.count(1);
    this.idPlaces = new Int32Array(ids);
    for (let i = 0; i < ids; i++) {
      this.idPlaces[i] = this.position;
      const length = this.u8();
      if (length > MAX_ID_BYTES) this.fail(`id of ${length} bytes`);
      this.take(length);
    }
    const labels = this.count(1);
    this.labels = Array.from({ length: labels }, () => this.text());
  }

  get source(): Uint8Array {
    return this.bytes;
  }

  /** Place of an id, at its length byte. */
  id(): number {
    const index = this.varuint();
    if (index >= this.idPlaces.length) this.fail(`id index ${index}`);
    return this.idPlaces[index]!;
  }

  /** 0, where no id can be, for null. */
  idOrNull(): number {
    return this.flag() ? this.id() : 0;
  }

  /** Number of a label in `labels`. */
  labelIndex(): number {
    const index = this.varuint();
    if (index >= this.labels.length) this.fail(`label index ${index}`);
    return index;
  }

  /** Place of a text, at its length; 0 for null. */
  textPlaceOrNull(): number {
    if (!this.flag()) return 0;
    const at = this.position;
    this.encodedText();
    return at;
  }

  /** Place of an amount, at its length byte. */
  amount(): number {
    const at = this.position;
    const length = this.u8();
    if (length > MAX_AMOUNT_BYTES) this.fail(`amount of ${length} bytes`);
    if (length > 0 && this.bytes[this.take(length) + length - 1] === 0) this.fail('padded amount');
    return at;
  }

  /** Place of an amount with a sign, which is the highest bit of its length byte. */
  signedAmount(): number {
    const at = this.position;
    const tag = this.u8();
    const length = tag & ~NEGATIVE;
    if (length > MAX_AMOUNT_BYTES) this.fail(`amount of ${length} bytes`);
    if (length > 0 && this.bytes[this.take(length) + length - 1] === 0) this.fail('padded amount');
    if (tag === NEGATIVE) this.fail('negative zero');
    return at;
  }

  /** 0 for null. */
  amountOrNull(): number {
    if (this.bytes[this.position] !== NULL_AMOUNT) return this.amount();
    this.u8();
    return 0;
  }

  /** Place of the amount before, where it is repeated; `previous` is -1 for the first of a column. */
  amountOrRepeat(previous: number): number {
    if (this.bytes[this.position] !== REPEATED_AMOUNT) return this.amountOrNull();
    this.u8();
    if (previous < 0) this.fail('nothing to repeat');
    return previous;
  }
}
