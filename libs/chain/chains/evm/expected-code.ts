import type { Hex } from '#libs/core/ids.js';

/** Runtime code by its keccak-256 (lower-case hex without prefix), taken with the immutables' bytes set to zero. */
export interface ExpectedCode {
  readonly hash: Hex;
  /** Offset and length, in bytes, of each place of an immutable, and what belongs there. */
  readonly immutables: readonly (readonly [offset: number, length: number, holds: ImmutableValue])[];
  /** What carries the code: a package with its version, or the chain itself. */
  readonly source: string;
}

/** The venue's factory, the wrapped coin, the contract's own address, or something that no swap goes through. */
export type ImmutableValue = 'factory' | 'wrappedNative' | 'self' | 'unchecked';

/**
 * Code of an exchange's contract as its own published package carries it. Invariant: only where the package holds that
 * very contract, built by its authors; a contract that is on a chain in another build is found out and has to be pinned by
 * the operator. The hash is the keccak-256 of the package's deployed bytecode, in which immutables are zero; the offsets
 * are those of the address bytes that the constructor writes.
 */
export function provenCode(
  source: string,
  hash: string,
  places: Partial<Record<ImmutableValue, number[]>> = {},
): ExpectedCode {
  const immutables = Object.entries(places).flatMap(([holds, offsets]) =>
    offsets.map((offset) => [offset, 20, holds as ImmutableValue] as const),
  );
  return { source, hash, immutables };
}

/**
 * Code that no package carries, as it is on a real chain. Invariant: only where several projects that know nothing of each
 * other pin the same hash for the same address; it is of the whole code, immutables included. A wrong entry can only
 * refuse a venue, never admit another code than the one it names.
 */
export function observedCode(contract: string, chain: string, hash: string): ExpectedCode {
  return { source: `${contract} as it stands on ${chain}`, hash, immutables: [] };
}
