import { decodeBase58 } from '#libs/core/base58.js';

/** Prime of the field of Curve25519, and the constant d of Edwards' form. */
const P = (1n << 255n) - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
const Y_MASK = (1n << 255n) - 1n;

/**
 * Whether 32 bytes are a point of ed25519, as the Solana runtime decides it: y in little-endian order, the sign bit left
 * out. An x exists when (y² − 1)·(d·y² + 1) is a square or zero.
 */
export function isOnCurve(bytes: Uint8Array): boolean {
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) & Y_MASK;
  const square = (y * y) % P;
  const product = ((square - 1n + P) * (D * square + 1n)) % P;
  return eulerPower(product) <= 1n;
}

/** Whether a base58 address is a key that can sign, not one that a program owns by its seeds. */
export function isWallet(address: string): boolean {
  const bytes = decodeBase58(address);
  return bytes !== null && bytes.length === 32 && isOnCurve(bytes);
}

/** x^((p − 1) / 2) = x^((2^250 − 1)·16 + 6): 1 for squares, 0 for zero, p − 1 for the rest. */
function eulerPower(x: bigint): bigint {
  const x2 = joined(x, x, 1);
  const x4 = joined(x2, x2, 2);
  const x5 = joined(x4, x, 1);
  const x10 = joined(x5, x5, 5);
  const x20 = joined(x10, x10, 10);
  const x25 = joined(x20, x5, 5);
  const x50 = joined(x25, x25, 25);
  const x100 = joined(x50, x50, 50);
  const x125 = joined(x100, x25, 25);
  const x250 = joined(x125, x125, 125);
  const cube = (x * ((x * x) % P)) % P;
  return joined(x250, (cube * cube) % P, 4);
}

/** high^(2^bits)·low: with high = x^(2^a − 1) and low = x^(2^bits − 1), x^(2^(a + bits) − 1). */
function joined(high: bigint, low: bigint, bits: number): bigint {
  let power = high;
  for (let n = 0; n < bits; n++) power = (power * power) % P;
  return (power * low) % P;
}
