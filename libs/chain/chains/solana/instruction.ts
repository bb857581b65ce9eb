import { decodeBase58, encodeBase58 } from '#libs/core/base58.js';

const NO_BYTES = new Uint8Array(0);
/** Base58 characters for a byte. */
const CHARACTERS_PER_BYTE = Math.log(256) / Math.log(58);

/**
 * One instruction of a transaction, top-level or called by another. Data arrive as base58 in most transactions and are
 * decoded when first read: most instructions are looked at by their program alone.
 */
export class SolanaInstruction {
  private bytes: Uint8Array | null;

  constructor(
    /** Base58 address; empty where the transaction does not hold the account it names. */
    readonly program: string,
    /** Positions in the transaction's account keys. */
    readonly accounts: readonly number[],
    private readonly source: string | Uint8Array,
    /** Position of the top-level instruction. */
    readonly outer: number,
    /** Position in the flat list of the calls below the top-level instruction; -1 for the latter itself. */
    readonly inner: number,
    /** 1 for a top-level instruction, 2 for what it calls; 0 where the node did not record it. */
    readonly depth: number,
  ) {
    this.bytes = typeof source === 'string' ? null : source;
  }

  /** Empty when the text is no base58. */
  get data(): Uint8Array {
    this.bytes ??= decodeBase58(this.source as string) ?? NO_BYTES;
    return this.bytes;
  }

  /** The data as base58, which is what most of them arrive as. */
  get text(): string {
    return typeof this.source === 'string' ? this.source : encodeBase58(this.source);
  }

  /**
   * False when the data cannot be that many bytes, seen without decoding them; for data whose first byte is not zero, as
   * the tags of instructions are not.
   */
  mayBe(bytes: number): boolean {
    if (this.bytes !== null) return this.bytes.length === bytes;
    const { length } = this.source;
    return length > (bytes - 1) * CHARACTERS_PER_BYTE && length <= bytes * CHARACTERS_PER_BYTE + 1;
  }

  /** "3" for the fourth top-level instruction, "3.2" for the third call below it, whatever the depth of that call. */
  get path(): string {
    return this.inner < 0 ? `${this.outer}` : `${this.outer}.${this.inner}`;
  }
}
