import { decodeBase58 } from '#libs/core/base58.js';
import { deriveAddress } from './derive.js';

/** More than the accounts of every pool that one process follows. */
const MOST_KEPT = 200_000;

/**
 * Addresses that one program derives for its pools, kept since each search takes some hundred microseconds. Invariant: the
 * same seeds always give the same address; whatever is no base58 address of a pool has none.
 */
export class DerivedAddresses {
  private readonly kept = new Map<string, string>();

  constructor(
    private readonly program: string,
    private readonly tag: string,
  ) {}

  /** For the seeds tag, pool and what follows; empty when the pool is no address. */
  of(pool: string, ...rest: Uint8Array[]): string {
    let key = pool;
    for (const seed of rest) key += ` ${Buffer.from(seed).toString('latin1')}`;
    const found = this.kept.get(key);
    if (found !== undefined) return found;
    const seed = decodeBase58(pool);
    const address = seed?.length === 32 ? deriveAddress(this.program, [Buffer.from(this.tag), seed, ...rest]) : '';
    if (this.kept.size >= MOST_KEPT) this.kept.clear();
    this.kept.set(key, address);
    return address;
  }
}
