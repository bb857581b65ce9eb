import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';
import { deriveAddress } from '#libs/chain/chains/solana/derive.js';
import { poolSwaps } from '#libs/chain/market-ports/solana/account-pools.js';
import { inOrder, reads, signs, swapData, writes } from '#libs/chain/market-ports/solana/swap-call.js';
import { raydiumCpmmPools } from './quote.js';

const { program } = raydiumCpmmPools;
const AUTHORITY = deriveAddress(program, [Buffer.from('vault_and_lp_mint_auth_seed')]);
const EXACT_IN = bytesOfHex('8fbe5adac41e33de');
const EXACT_OUT = bytesOfHex('37d96256a34ab4ad');

/** swap_base_input and swap_base_output, which takes the most input before the output. */
export const raydiumCpmmSwaps = poolSwaps(raydiumCpmmPools, {
  needs: ({ mint0, mint1 }) => [mint0, mint1],
  write(pool, order) {
    const { exact, amount, limit, aToB } = order;
    const vaults = inOrder(aToB, pool.vault0, pool.vault1);
    const programs = inOrder(aToB, pool.program0, pool.program1);
    const mints = inOrder(aToB, pool.mint0, pool.mint1);
    return {
      accounts: [
        ...[signs(order.trader), reads(AUTHORITY), reads(pool.config), writes(order.pool)],
        ...[writes(order.inputAccount), writes(order.outputAccount), ...vaults.map(writes)],
        ...[...programs.map(reads), ...mints.map(reads), writes(pool.observation)],
      ],
      data: exact === 'in' ? swapData(EXACT_IN, amount, limit) : swapData(EXACT_OUT, limit, amount),
    };
  },
});
