import { poolSwaps } from '#libs/chain/market-ports/solana/account-pools.js';
import { meteoraSwap2 } from '#libs/chain/market-ports/solana/meteora-swap.js';
import { reads, signs, tokenProgramsOf, writes } from '#libs/chain/market-ports/solana/swap-call.js';
import { meteoraDammV2Pools } from './quote.js';

const swap2 = meteoraSwap2(meteoraDammV2Pools.program);

/** swap2 without a referral. */
export const meteoraDammV2Swaps = poolSwaps(meteoraDammV2Pools, {
  needs: ({ mintA, mintB }) => [mintA, mintB],
  write(pool, order, { known }) {
    const programs = tokenProgramsOf(known, pool.mintA, pool.mintB);
    if (programs === null) return null;
    return swap2(order, pool.baseFee.mode, [
      ...[order.pool, order.inputAccount, order.outputAccount, pool.vaultA, pool.vaultB].map(writes),
      ...[reads(pool.mintA), reads(pool.mintB), signs(order.trader), ...programs.map(reads)],
    ]);
  },
});
