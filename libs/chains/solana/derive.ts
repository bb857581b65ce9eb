import { PublicKey } from '@solana/web3.js';

/**
 * The address that a program derives from seeds, base58. The search for its bump hashes and tests curve points: keep the
 * answer where it is asked for often.
 */
export function deriveAddress(program: string, seeds: Uint8Array[]): string {
  return PublicKey.findProgramAddressSync(seeds, new PublicKey(program))[0].toBase58();
}
