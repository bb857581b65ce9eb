import { type KnownAccounts, readOwned } from '#libs/chain/chains/solana/accounts.js';
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
import { hasHook, readDbcConfig } from './account.js';
import { meteoraDbcPools } from './quote.js';

const { program, poolAt } = meteoraDbcPools;
const AUTHORITY = deriveAddress(program, [Buffer.from('pool_authority')]);
const EVENT_AUTHORITY = eventAuthority(program);
const SWAP2 = bytesOfHex('414b3f4ceb5b5b88');
const EXACT_IN = Uint8Array.of(0);
const EXACT_OUT = Uint8Array.of(2);
const RATE_LIMITER = 2;

/** swap2: the mode says which of the two amounts is exact, which always comes first. No referral, no token with a hook. */
export const meteoraDbcSwaps = poolSwaps(
  { program, poolAt: withConfig },
  {
    needs: ({ pool, config }) => [pool.baseMint, config.quoteMint],
    write({ pool, config }, order, { known }) {
      const programs = tokenProgramsOf(known, pool.baseMint, config.quoteMint);
      if (programs === null) return null;
      return {
        accounts: [
          ...[reads(AUTHORITY), reads(pool.config), writes(order.pool)],
          ...[writes(order.inputAccount), writes(order.outputAccount), writes(pool.baseVault), writes(pool.quoteVault)],
          ...[reads(pool.baseMint), reads(config.quoteMint), signs(order.trader), ...programs.map(reads)],
          ...[reads(program), reads(EVENT_AUTHORITY), reads(program)],
          // The limiter lets a transaction swap a pool once: it looks at the other instructions.
          ...(config.baseFeeMode === RATE_LIMITER ? [reads(INSTRUCTIONS_SYSVAR)] : []),
        ],
        data: swapData(SWAP2, order.amount, order.limit, order.exact === 'in' ? EXACT_IN : EXACT_OUT),
      };
    },
  },
);

/** Null also for a pool whose token has a hook. */
function withConfig(address: string, known: KnownAccounts) {
  const pool = readOwned(known, address, program, hasHook) ? null : poolAt(address, known);
  const config = pool && readOwned(known, pool.config, program, readDbcConfig);
  return pool && config && { pool, config };
}
