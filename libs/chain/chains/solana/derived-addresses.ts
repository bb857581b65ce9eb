import { decodeBase58 } from '#libs/core/base58.js';
import { deriveAddress } from './derive.js';
import { ASSOCIATED_TOKEN_PROGRAM } from './programs.js';

/** More than the accounts of every pool that one process follows. */
const MOST_KEPT = 200_000;

/**
 * Addresses that one program derives for pools or wallets, kept since each search takes some hundred microseconds. Invariant: the
 * same seeds always give the same address; whatever is no base58 address has none.
 */
export class DerivedAddresses {
  private readonly kept = new Map<string, string>();
  private readonly head: readonly Uint8Array[];

  constructor(
    private readonly program: string,
    tag: string | null,
  ) {
    this.head = tag === null ? [] : [Buffer.from(tag)];
  }

  /** For the seeds tag (if any), pool or wallet and what follows; empty when that is no address. */
  of(pool: string, ...rest: Uint8Array[]): string {
    let key = pool;
    for (const seed of rest) key += ` ${Buffer.from(seed).toString('latin1')}`;
    const found = this.kept.get(key);
    if (found !== undefined) return found;
    const seed = decodeBase58(pool);
    const address = seed?.length === 32 ? deriveAddress(this.program, [...this.head, seed, ...rest]) : '';
    if (this.kept.size >= MOST_KEPT) this.kept.clear();
    this.kept.set(key, address);
    return address;
  }
}

const associated = new DerivedAddresses(ASSOCIATED_TOKEN_PROGRAM, null);

/** The token account that every wallet has for a mint; empty when one of the three is no address. */
export function associatedAddress(owner: string, mint: string, tokenProgram: string): string {
  const [program, token] = [tokenProgram, mint].map(decodeBase58);
  return program?.length === 32 && token?.length === 32 ? associated.of(owner, program, token) : '';
}
