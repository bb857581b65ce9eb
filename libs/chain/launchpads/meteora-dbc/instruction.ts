import { readOwned } from '#libs/chain/chains/solana/accounts.js';
import { type PoolAccounts, poolSwaps } from '#libs/chain/market-ports/solana/account-pools.js';
import { meteoraSwap2 } from '#libs/chain/market-ports/solana/meteora-swap.js';
import { reads, signs, tokenProgramsOf, writes } from '#libs/chain/market-ports/solana/swap-call.js';
import { type DbcConfig, type DbcPool, hasHook, readDbcConfig } from './account.js';
import { meteoraDbcPools } from './quote.js';

const { program, poolAt } = meteoraDbcPools;
const swap2 = meteoraSwap2(program);

/** Pools whose token has a hook are none. */
const traded: PoolAccounts<{ readonly pool: DbcPool; readonly config: DbcConfig }> = {
  program,
  poolAt(address, known) {
    const pool = readOwned(known, address, program, hasHook) ? null : poolAt(address, known);
    const config = pool && readOwned(known, pool.config, program, readDbcConfig);
    return pool && config && { pool, config };
  },
};

/** swap2 without a referral. */
export const meteoraDbcSwaps = poolSwaps(traded, {
  needs: ({ pool, config }) => [pool.baseMint, config.quoteMint],
  write({ pool, config }, order, { known }) {
    const programs = tokenProgramsOf(known, pool.baseMint, config.quoteMint);
    if (programs === null) return null;
    return swap2(order, config.baseFeeMode, [
      reads(pool.config),
      ...[order.pool, order.inputAccount, order.outputAccount, pool.baseVault, pool.quoteVault].map(writes),
      ...[reads(pool.baseMint), reads(config.quoteMint), signs(order.trader), ...programs.map(reads)],
    ]);
  },
});
