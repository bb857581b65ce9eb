import type { Hex } from '#libs/core/ids.js';
import { TextInterner } from '#libs/core/text-interner.js';
import type { Envelope, GroupKind } from '../envelope.js';
import { ByteReader } from './byte-reader.js';
import { ByteWriter, unencodable } from './byte-writer.js';
import { type GroupHeader, MAX_ID_BYTES, type RecordType, readGroupHeader, writeHeader } from './group-header.js';

/**
 * Frame of an encoded group: header, dictionary of ids, dictionary of labels, body.
 *
 * Invariant: a dictionary holds each entry once, in the order in which the body first names it, and nothing unused.
 * With ByteReader's rules this makes the encoding a bijection: whatever decodes, encodes to the same bytes again.
 */
export class GroupWriter extends ByteWriter {
  private readonly ids = new Map<Hex, number>();
  private readonly idEntries = new ByteWriter();
  private readonly labels = new Map<string, number>();
  private readonly labelEntries = new ByteWriter();
  private readonly output = new ByteWriter();

  override reset(): void {
    super.reset();
    this.ids.clear();
    this.idEntries.reset();
    this.labels.clear();
    this.labelEntries.reset();
    this.output.reset();
  }

  /** An address, token, pool or transaction id. */
  id(id: Hex): void {
    let index = this.ids.get(id);
    if (index === undefined) {
      index = this.ids.size;
      if (id.length > MAX_ID_BYTES * 2) unencodable(`id of ${id.length} digits`);
      this.idEntries.u8(id.length >>> 1);
      this.idEntries.hex(id);
      this.ids.set(id, index);
    }
    this.varuint(index);
  }

  idOrNull(id: Hex | null): void {
    this.u8(id === null ? 0 : 1);
    if (id !== null) this.id(id);
  }

  /** A short name that repeats, such as a venue. */
  label(label: string): void {
    let index = this.labels.get(label);
    if (index === undefined) {
      index = this.labels.size;
      this.labelEntries.text(label);
      this.labels.set(label, index);
    }
    this.varuint(index);
  }

  textOrNull(value: string | null): void {
    this.u8(value === null ? 0 : 1);
    if (value !== null) this.text(value);
  }

  /** Header, dictionaries and the body written so far, in a buffer of its own. */
  finish(record: RecordType, kind: GroupKind, envelope: Envelope, inputHash: Hex): Uint8Array {
    const output = this.output;
    writeHeader(output, record, kind, envelope, inputHash);
    output.varuint(this.ids.size);
    output.raw(this.idEntries.written());
    output.varuint(this.labels.size);
    output.raw(this.labelEntries.written());
    output.raw(this.written());
    return new Uint8Array(output.written());
  }
}

const ADDRESS_BYTES = 20;
const addresses = new TextInterner(ADDRESS_BYTES, 'hex');

export class GroupReader extends ByteReader {
  readonly header: GroupHeader;
  private readonly ids: Hex[];
  private readonly labels: string[];
  private idsSeen = 0;
  private labelsSeen = 0;

  constructor(bytes: Uint8Array, record: RecordType) {
    super(bytes, `${record} group`);
    this.header = readGroupHeader(this);
    if (this.header.record !== record) this.fail(`a ${this.header.record} group`);
    this.ids = this.entries(() => {
      const length = this.u8();
      if (length > MAX_ID_BYTES) this.fail(`id of ${length} bytes`);
      return length === ADDRESS_BYTES ? this.address() : this.hex(length);
    });
    this.labels = this.entries(() => this.text());
  }

  /** Addresses come again in group after group; transactions do not. */
  private address(): Hex {
    const at = this.take(ADDRESS_BYTES);
    return addresses.find(this.view, at) ?? addresses.add(this.bytes, this.view, at);
  }

  id(): Hex {
    const index = this.varuint();
    if (index >= this.idsSeen) {
      if (index !== this.idsSeen || index >= this.ids.length) this.fail(`id index ${index}`);
      this.idsSeen++;
    }
    return this.ids[index]!;
  }

  idOrNull(): Hex | null {
    return this.flag() ? this.id() : null;
  }

  label(): string {
    const index = this.varuint();
    if (index >= this.labelsSeen) {
      if (index !== this.labelsSeen || index >= this.labels.length) this.fail(`label index ${index}`);
      this.labelsSeen++;
    }
    return this.labels[index]!;
  }

  textOrNull(): string | null {
    return this.flag() ? this.text() : null;
  }

  /** Steps over a part of the body. What it names in the dictionaries is not known: from here on any entry may come next. */
  override skip(length: number): void {
    super.skip(length);
    this.idsSeen = this.ids.length;
    this.labelsSeen = this.labels.length;
  }

  /** The body must end with the bytes and must have named every dictionary entry. */
  finish(): void {
    this.expectEnd();
    if (this.idsSeen !== this.ids.length || this.labelsSeen !== this.labels.length) this.fail('unused entry');
  }

  private entries(read: () => string): string[] {
    const count = this.count(1);
    const entries: string[] = [];
    for (let i = 0; i < count; i++) entries.push(read());
    if (new Set(entries).size !== count) this.fail('entry listed twice');
    return entries;
  }
}
