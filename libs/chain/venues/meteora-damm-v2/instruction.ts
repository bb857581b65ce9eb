import { type KnownAccounts, readOwned } from '#libs/chain/chains/solana/accounts.js';
import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';
import { deriveAddress } from '#libs/chain/chains/solana/derive.js';
import { tokenProgramOf } from '#libs/chain/chains/solana/token-account.js';
import {
  EVENT_AUTHORITY_SEED,
  INSTRUCTIONS_SYSVAR,
  reads,
  signs,
  swapData,
  writes,
} from '#libs/chain/market-ports/solana/swap-call.js';
import type { SolanaSwapInstructions } from '#libs/chain/market-ports/solana/swap-instructions.js';
import { readDammPool } from './account.js';
import { meteoraDammV2 } from './decode.js';

const { program } = meteoraDammV2;
const AUTHORITY = deriveAddress(program, [Buffer.from('pool_authority')]);
const EVENT_AUTHORITY = deriveAddress(program, [EVENT_AUTHORITY_SEED]);
const SWAP2 = bytesOfHex('414b3f4ceb5b5b88');
const EXACT_IN = Uint8Array.of(0);
const EXACT_OUT = Uint8Array.of(2);
const RATE_LIMITER = 2;

/** swap2: the mode says which of the two amounts is exact, which always comes first. No referral. */
export const meteoraDammV2Swaps: SolanaSwapInstructions = {
  needs(address, known) {
    const pool = poolAt(address, known);
    return pool === null ? [] : [pool.mintA, pool.mintB];
  },
  write(order, known) {
    const pool = poolAt(order.pool, known);
    const [programA, programB] = pool === null ? [] : [pool.mintA, pool.mintB].map((m) => tokenProgramOf(known, m));
    if (pool === null || !programA || !programB) return null;
    return {
      program,
      accounts: [
        ...[reads(AUTHORITY), writes(order.pool), writes(order.inputAccount), writes(order.outputAccount)],
        ...[writes(pool.vaultA), writes(pool.vaultB), reads(pool.mintA), reads(pool.mintB), signs(order.trader)],
        ...[reads(programA), reads(programB), reads(program), reads(EVENT_AUTHORITY), reads(program)],
        // The limiter lets a transaction swap a pool once: it looks at the other instructions.
        ...(pool.baseFee.mode === RATE_LIMITER ? [reads(INSTRUCTIONS_SYSVAR)] : []),
      ],
      data: swapData(SWAP2, order.amount, order.limit, order.exact === 'in' ? EXACT_IN : EXACT_OUT),
    };
  },
};

const poolAt = (address: string, known: KnownAccounts) => readOwned(known, address, program, readDammPool);
