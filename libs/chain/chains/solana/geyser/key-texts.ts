import { encodeBase58 } from '#libs/core/base58.js';

/**
 * Base58 texts of account keys. Most keys of a block are in many of its transactions and in the next block, and making the
 * text costs more than all else about a key. Bounded: two generations, of which the older is forgotten.
 */
export class KeyTexts {
  private recent = new Map<string, string>();
  private older = new Map<string, string>();

  constructor(private readonly most = 50_000) {}

  /** Of a key whose bytes are given as characters. */
  of(name: string): string {
    const known = this.recent.get(name);
    if (known !== undefined) return known;
    const text = this.older.get(name) ?? encodeBase58(Buffer.from(name, 'latin1'));
    if (this.recent.size >= this.most) {
      this.older = this.recent;
      this.recent = new Map();
    }
    this.recent.set(name, text);
    return text;
  }
}
