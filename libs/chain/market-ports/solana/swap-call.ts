import type { SolanaCallAccount } from './swap-instructions.js';

/** Parts of a swap's instruction that most venues share. */
export const reads = (address: string): SolanaCallAccount => ({ address, signs: false, writable: false });
export const writes = (address: string): SolanaCallAccount => ({ address, signs: false, writable: true });
export const signs = (address: string): SolanaCallAccount => ({ address, signs: true, writable: false });

/** Who swaps, where the program may take lamports too. */
export const pays = (address: string): SolanaCallAccount => ({ address, signs: true, writable: true });

export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
export const INSTRUCTIONS_SYSVAR = 'Sysvar1nstructions1111111111111111111111111';
/** Seed of the account by which programs of Anchor log events in calls to themselves. */
export const EVENT_AUTHORITY_SEED = Buffer.from('__event_authority');

/** A tag, two amounts of 64 bits, and what follows. */
export function swapData(tag: Uint8Array, first: bigint, second: bigint, rest: Uint8Array = new Uint8Array(0)): Buffer {
  const amounts = Buffer.alloc(16);
  amounts.writeBigUInt64LE(first, 0);
  amounts.writeBigUInt64LE(second, 8);
  return Buffer.concat([tag, amounts, rest]);
}

/** Of a pool's two sides, input before output. */
export const inOrder = <T>(aToB: boolean, a: T, b: T): readonly [T, T] => (aToB ? [a, b] : [b, a]);
