import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';
import { deriveAddress } from '#libs/chain/chains/solana/derive.js';
import { eventAuthority, INSTRUCTIONS_SYSVAR, reads, swapData } from './swap-call.js';
import type { SolanaCall, SolanaCallAccount, SolanaSwapOrder } from './swap-instructions.js';

const SWAP2 = bytesOfHex('414b3f4ceb5b5b88');
const EXACT_IN = Uint8Array.of(0);
const EXACT_OUT = Uint8Array.of(2);
/** The mode of a pool whose fee grows with the amount. */
const RATE_LIMITER = 2;

/** swap2, as two of Meteora's programs have it: the mode says which of the two amounts is exact, which always comes first. */
export function meteoraSwap2(program: string) {
  const authority = reads(deriveAddress(program, [Buffer.from('pool_authority')]));
  const logs = [reads(program), reads(eventAuthority(program)), reads(program)];
  // The limiter lets a transaction swap a pool once: it looks at the other instructions.
  const limited = [...logs, reads(INSTRUCTIONS_SYSVAR)];
  return (
    order: SolanaSwapOrder,
    feeMode: number,
    accounts: readonly SolanaCallAccount[],
  ): Omit<SolanaCall, 'program'> => ({
    accounts: [authority, ...accounts, ...(feeMode === RATE_LIMITER ? limited : logs)],
    data: swapData(SWAP2, order.amount, order.limit, order.exact === 'in' ? EXACT_IN : EXACT_OUT),
  });
}
