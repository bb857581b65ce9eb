import { createHash } from 'node:crypto';
import { decodeBase58, encodeBase58 } from '#libs/core/base58.js';
import { isOnCurve } from './curve-point.js';

const MARKER = Buffer.from('ProgramDerivedAddress');
const MOST_SEEDS = 15;
const MOST_SEED_BYTES = 32;
const HIGHEST_BUMP = 255;

/**
 * The address that a program derives from seeds, base58: the first of the hashes with bumps from 255 down that is no point
 * of the curve. The search takes some hundred microseconds: keep the answer where it is asked for often.
 */
export function deriveAddress(program: string, seeds: readonly Uint8Array[]): string {
  const owner = decodeBase58(program);
  if (owner?.length !== 32) throw new RangeError('the program is no address');
  if (seeds.length > MOST_SEEDS || seeds.some(({ length }) => length > MOST_SEED_BYTES)) {
    throw new RangeError(`at most ${MOST_SEEDS} seeds of ${MOST_SEED_BYTES} bytes`);
  }
  for (let bump = HIGHEST_BUMP; bump > 0; bump--) {
    const hash = createHash('sha256');
    for (const seed of seeds) hash.update(seed);
    const bytes = hash.update(Uint8Array.of(bump)).update(owner).update(MARKER).digest();
    if (!isOnCurve(bytes)) return encodeBase58(bytes);
  }
  throw new RangeError('no bump gives an address off the curve');
}
