/** Bytes that came in parts. Invariant: none is copied before they are needed as one piece. */
export class ByteChunks {
  readonly length: number;

  constructor(readonly list: readonly Buffer[]) {
    this.length = list.reduce((sum, part) => sum + part.length, 0);
  }

  /** All of it in one piece. */
  joined(): Buffer {
    return this.list.length === 1 ? this.list[0]! : Buffer.concat(this.list, this.length);
  }

  slice(start: number, end: number): ByteChunks {
    const found: Buffer[] = [];
    let from = 0;
    for (const part of this.list) {
      if (start < from + part.length && end > from) {
        found.push(part.subarray(Math.max(0, start - from), Math.min(part.length, end - from)));
      }
      from += part.length;
    }
    return new ByteChunks(found);
  }
}
