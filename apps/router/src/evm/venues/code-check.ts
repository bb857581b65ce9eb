import type { ExpectedCode, ImmutableValue } from '#libs/chain/chains/evm/expected-code.js';
import { keccak256Hex } from '#libs/chain/chains/evm/keccak.js';
import type { Hex } from '#libs/core/ids.js';

/** A contract whose runtime code has to be recognised. */
export interface CodeExpectation {
  /** Its part in the venue, in words for people. */
  role: string;
  address: Hex;
  expected: ExpectedCode | null;
  pin: Hex | null;
  /** The values that its immutables must hold. */
  factory: Hex;
  wrappedNative: Hex;
}

interface SeenCode {
  code: string;
  full: Hex;
  masked: Map<ExpectedCode, Hex>;
}

/**
 * Checks whether the code at an address is what it should be: exactly the code that the operator pinned, or the code of
 * the package with the manifest's addresses in every place of an immutable. It remembers the last code by address, so
 * that unchanged code is hashed once.
 */
export class CodeCheck {
  private readonly seen = new Map<Hex, SeenCode>();

  /** `setting` is the variable that pins code. */
  constructor(private readonly setting: string) {}

  /** `code` is hex without prefix. null: it is right; otherwise why not. */
  problem(question: CodeExpectation, code: string): string | null {
    const { role, address, expected, pin } = question;
    const place = `${role} 0x${address}`;
    if (code.length === 0) return `${place} has no code`;
    const known = this.of(address, code);
    if (pin !== null && known.full === pin) return null;
    const accept = `if it is right, ${this.setting}=0x${address}=0x${known.full} accepts it`;
    if (expected !== null && this.masked(known, expected) === expected.hash) {
      const wrong = wrongImmutable(question, expected, code);
      return wrong === null ? null : `${place} is ${expected.source} but ${wrong}; ${accept}`;
    }
    const found = `${place} has code 0x${known.full}`;
    if (pin !== null) return `${found} and not the pinned 0x${pin}; ${accept}`;
    if (expected !== null) return `${found}, which is not that of ${expected.source}; ${accept}`;
    return `${found}, which nobody has pinned; ${accept}`;
  }

  private of(address: Hex, code: string): SeenCode {
    let known = this.seen.get(address);
    if (known?.code !== code) {
      known = { code, full: hashOf(Buffer.from(code, 'hex')), masked: new Map() };
      this.seen.set(address, known);
    }
    return known;
  }

  private masked(known: SeenCode, expected: ExpectedCode): Hex {
    let hash = known.masked.get(expected);
    if (hash === undefined) {
      const bytes = Buffer.from(known.code, 'hex');
      for (const [offset, length] of expected.immutables) bytes.subarray(offset, offset + length).fill(0);
      hash = hashOf(bytes);
      known.masked.set(expected, hash);
    }
    return hash;
  }
}

/** Checks every place: a getter shows only the one that it reads itself. */
function wrongImmutable(question: CodeExpectation, expected: ExpectedCode, code: string): string | null {
  const wanted: Record<ImmutableValue, { name: string; value: Hex } | null> = {
    factory: { name: 'factory', value: question.factory },
    wrappedNative: { name: 'wrapped token', value: question.wrappedNative },
    self: { name: 'contract itself', value: question.address },
    unchecked: null,
  };
  for (const [offset, length, holds] of expected.immutables) {
    const right = wanted[holds];
    const value = code.slice(offset * 2, (offset + length) * 2);
    if (right !== null && value !== right.value) {
      return `names 0x${value} where the ${right.name} 0x${right.value} belongs`;
    }
  }
  return null;
}

export function hashOf(bytes: Uint8Array): Hex {
  return keccak256Hex(bytes);
}
