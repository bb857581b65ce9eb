import { keccak_256 } from '@noble/hashes/sha3.js';
import type { ExpectedCode } from '#libs/chains/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';

/** A contract whose runtime code has to be recognised. */
export interface CodeQuestion {
  /** What it is in the venue: words for people. */
  role: string;
  address: Hex;
  expected: ExpectedCode | null;
  pin: Hex | null;
}

/**
 * Whether the code at an address is what it should be: the code of the package (immutables apart) or the very code that
 * the operator pinned. Remembers the last code by address, so that an unchanged one is hashed once.
 */
export class CodeCheck {
  private readonly seen = new Map<Hex, { code: string; full: Hex; masked: Map<ExpectedCode, Hex> }>();

  /** `setting` is the variable that pins code. */
  constructor(private readonly setting: string) {}

  /** `code` is hex without prefix. null: it is right; otherwise why not. */
  problem({ role, address, expected, pin }: CodeQuestion, code: string): string | null {
    const place = `${role} 0x${address}`;
    if (code.length === 0) return `${place} has no code`;
    const known = this.of(address, code);
    if (pin !== null && known.full === pin) return null;
    if (expected !== null && this.masked(known, expected) === expected.hash) return null;
    const accept = `${this.setting}=0x${address}=0x${known.full}`;
    if (pin !== null) return `${place} has code 0x${known.full} and not the pinned 0x${pin}; ${accept} accepts it`;
    if (expected !== null) {
      return `${place} has code 0x${known.full}, which is not that of ${expected.source}; if it is right, ${accept} accepts it`;
    }
    return `${place} has code 0x${known.full}, which nobody has pinned; if it is right, ${accept} accepts it`;
  }

  private of(address: Hex, code: string) {
    let known = this.seen.get(address);
    if (known?.code !== code) {
      known = { code, full: hashOf(Buffer.from(code, 'hex')), masked: new Map() };
      this.seen.set(address, known);
    }
    return known;
  }

  private masked(known: { code: string; masked: Map<ExpectedCode, Hex> }, expected: ExpectedCode): Hex {
    let hash = known.masked.get(expected);
    if (hash === undefined) {
      const bytes = Buffer.from(known.code, 'hex');
      for (const [offset, length] of expected.immutables) bytes.fill(0, offset, offset + length);
      hash = hashOf(bytes);
      known.masked.set(expected, hash);
    }
    return hash;
  }
}

function hashOf(bytes: Uint8Array): Hex {
  return Buffer.from(keccak_256(bytes)).toString('hex');
}
