import type { KnownAccounts } from '#libs/chain/chains/solana/accounts.js';
import { deriveAddress } from '#libs/chain/chains/solana/derive.js';
import { tokenProgramOf } from '#libs/chain/chains/solana/token-account.js';
import type { SolanaCallAccount } from './swap-instructions.js';

/** Parts of a swap's instruction that most venues share. */
export const reads = (address: string): SolanaCallAccount => ({ address, signs: false, writable: false });
export const writes = (address: string): SolanaCallAccount => ({ address, signs: false, writable: true });
export const signs = (address: string): SolanaCallAccount => ({ address, signs: true, writable: false });

/** Who swaps, where the program may take lamports too. */
export const pays = (address: string): SolanaCallAccount => ({ address, signs: true, writable: true });

export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
export const INSTRUCTIONS_SYSVAR = 'Sysvar1nstructions1111111111111111111111111';

/** The account by which a program of Anchor logs events in calls to itself. */
export const eventAuthority = (program: string): string => deriveAddress(program, [Buffer.from('__event_authority')]);

/** The token programs of a pool's two mints; null when one is not known to be a mint. */
export function tokenProgramsOf(known: KnownAccounts, mintA: string, mintB: string): readonly [string, string] | null {
  const [a, b] = [tokenProgramOf(known, mintA), tokenProgramOf(known, mintB)];
  return a === null || b === null ? null : [a, b];
}

/** A tag, two amounts of 64 bits, and what follows. */
export function swapData(tag: Uint8Array, first: bigint, second: bigint, rest: Uint8Array = new Uint8Array(0)): Buffer {
  const amounts = Buffer.alloc(16);
  amounts.writeBigUInt64LE(first, 0);
  amounts.writeBigUInt64LE(second, 8);
  return Buffer.concat([tag, amounts, rest]);
}

/** Of a pool's two sides, input before output. */
export const inOrder = <T>(aToB: boolean, a: T, b: T): readonly [T, T] => (aToB ? [a, b] : [b, a]);
