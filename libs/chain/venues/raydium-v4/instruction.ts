import { TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { poolSwaps } from '#libs/chain/market-ports/solana/account-pools.js';
import { reads, signs, swapData, writes } from '#libs/chain/market-ports/solana/swap-call.js';
import { raydiumV4Pools } from './quote.js';

const AUTHORITY = '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1';
const EXACT_IN = Uint8Array.of(9);
const EXACT_OUT = Uint8Array.of(11);
/** Accounts of the order book, from its program to the signer of its vaults: only AMMs that trade on one look at them. */
const MARKET_ACCOUNTS = 8;

/** SwapBaseIn and SwapBaseOut, which takes the most input before the output. */
export const raydiumV4Swaps = poolSwaps(raydiumV4Pools, {
  needs: ({ coinMint, pcMint }) => [coinMint, pcMint],
  write(pool, order) {
    const { exact, amount, limit } = order;
    return {
      accounts: [
        ...[reads(TOKEN_PROGRAM), writes(order.pool), reads(AUTHORITY), writes(pool.openOrders)],
        ...[writes(pool.coinVault), writes(pool.pcVault)],
        ...Array.from({ length: MARKET_ACCOUNTS }, () => writes(order.pool)),
        ...[writes(order.inputAccount), writes(order.outputAccount), signs(order.trader)],
      ],
      data: exact === 'in' ? swapData(EXACT_IN, amount, limit) : swapData(EXACT_OUT, limit, amount),
    };
  },
});
