import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';
import { deriveAddress } from '#libs/chain/chains/solana/derive.js';
import { poolSwaps } from '#libs/chain/market-ports/solana/account-pools.js';
import {
  eventAuthority,
  INSTRUCTIONS_SYSVAR,
  reads,
  signs,
  swapData,
  tokenProgramsOf,
  writes,
} from '#libs/chain/market-ports/solana/swap-call.js';
import { meteoraDammV2Pools } from './quote.js';

const { program } = meteoraDammV2Pools;
const AUTHORITY = deriveAddress(program, [Buffer.from('pool_authority')]);
const EVENT_AUTHORITY = eventAuthority(program);
const SWAP2 = bytesOfHex('414b3f4ceb5b5b88');
const EXACT_IN = Uint8Array.of(0);
const EXACT_OUT = Uint8Array.of(2);
const RATE_LIMITER = 2;

/** swap2: the mode says which of the two amounts is exact, which always comes first. No referral. */
export const meteoraDammV2Swaps = poolSwaps(meteoraDammV2Pools, {
  needs: ({ mintA, mintB }) => [mintA, mintB],
  write(pool, order, { known }) {
    const programs = tokenProgramsOf(known, pool.mintA, pool.mintB);
    if (programs === null) return null;
    return {
      accounts: [
        ...[reads(AUTHORITY), writes(order.pool), writes(order.inputAccount), writes(order.outputAccount)],
        ...[writes(pool.vaultA), writes(pool.vaultB), reads(pool.mintA), reads(pool.mintB), signs(order.trader)],
        ...[...programs.map(reads), reads(program), reads(EVENT_AUTHORITY), reads(program)],
        // The limiter lets a transaction swap a pool once: it looks at the other instructions.
        ...(pool.baseFee.mode === RATE_LIMITER ? [reads(INSTRUCTIONS_SYSVAR)] : []),
      ],
      data: swapData(SWAP2, order.amount, order.limit, order.exact === 'in' ? EXACT_IN : EXACT_OUT),
    };
  },
});
