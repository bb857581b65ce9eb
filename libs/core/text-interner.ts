/**
 * One string instance for each distinct byte sequence of a fixed length, found by its bytes: a text that came before costs
 * no allocation, and its instance keeps its hash for the many maps it goes through. Bounded: when it is full it is emptied.
 */
export class TextInterner {
  private readonly slots: Int32Array;
  private readonly mask: number;
  private held: Buffer;
  private heldView: DataView;
  private texts: string[] = [];

  constructor(
    readonly length: number,
    /** `hex text`: the bytes are hex digits as text, and the string has them in lower case. */
    private readonly encoding: 'latin1' | 'hex' | 'hex text',
    private readonly capacity = 32_768,
  ) {
    const slots = 2 ** Math.ceil(Math.log2(capacity * 2));
    this.slots = new Int32Array(slots);
    this.mask = slots - 1;
    this.held = Buffer.alloc(256 * length);
    this.heldView = viewOf(this.held);
  }

  get size(): number {
    return this.texts.length;
  }

  find(view: DataView, start: number): string | undefined {
    let slot = this.hash(view, start);
    for (;;) {
      const entry = this.slots[slot]!;
      if (entry === 0) return undefined;
      if (sameBytes(view, start, this.heldView, (entry - 1) * this.length, this.length)) return this.texts[entry - 1];
      slot = (slot + 1) & this.mask;
    }
  }

  /** Adds bytes that `find` did not know. */
  add(bytes: Buffer, view: DataView, start: number): string {
    if (this.texts.length === this.capacity) {
      this.texts = [];
      this.slots.fill(0);
    }
    const { length } = this;
    const index = this.texts.length;
    if ((index + 1) * length > this.held.length) {
      const larger = Buffer.alloc(this.held.length * 2);
      this.held.copy(larger);
      this.held = larger;
      this.heldView = viewOf(larger);
    }
    bytes.copy(this.held, index * length, start, start + length);
    const end = start + length;
    const text =
      this.encoding === 'hex text'
        ? bytes.toString('latin1', start, end).toLowerCase()
        : bytes.toString(this.encoding, start, end);
    this.texts.push(text);
    let slot = this.hash(view, start);
    while (this.slots[slot] !== 0) slot = (slot + 1) & this.mask;
    this.slots[slot] = index + 1;
    return text;
  }

  /** Of the last sixteen bytes: addresses and signatures differ there. */
  private hash(view: DataView, start: number): number {
    const end = start + this.length;
    let hash = Math.imul(view.getInt32(end - 4, true), 0x9e3779b1) ^ view.getInt32(end - 8, true);
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) ^ view.getInt32(end - 12, true);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) ^ view.getInt32(end - 16, true);
    hash = Math.imul(hash ^ (hash >>> 16), 0x27d4eb2f);
    return (hash ^ (hash >>> 15)) & this.mask;
  }
}

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Four bytes at a time. */
export function sameBytes(a: DataView, aStart: number, b: DataView, bStart: number, length: number): boolean {
  const whole = length & ~3;
  for (let k = 0; k < whole; k += 4) {
    if (a.getInt32(aStart + k, true) !== b.getInt32(bStart + k, true)) return false;
  }
  for (let k = whole; k < length; k++) {
    if (a.getUint8(aStart + k) !== b.getUint8(bStart + k)) return false;
  }
  return true;
}
