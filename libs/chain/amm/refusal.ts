/**
 * How exact swap maths reports that a program would refuse: one value is thrown, and caught by the quote. Invariant:
 * `orNull` hides nothing but this refusal; anything else that is thrown is a defect and is passed on.
 */
class SwapRefused extends Error {}

const REFUSED = new SwapRefused('the program refuses this swap');

export function refuse(): never {
  throw REFUSED;
}

export function orNull<T>(compute: () => T): T | null {
  try {
    return compute();
  } catch (error) {
    if (error instanceof SwapRefused) return null;
    throw error;
  }
}

const U64_END = 1n << 64n;
const U128_END = 1n << 128n;

/** The value as a program's u64: it refuses whatever does not fit. */
export const u64 = (value: bigint): bigint => (value < 0n || value >= U64_END ? refuse() : value);

/** The value as a program's u128. */
export const u128 = (value: bigint): bigint => (value < 0n || value >= U128_END ? refuse() : value);
