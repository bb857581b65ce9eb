import { type KnownAccounts, readOwned } from '#libs/chain/chains/solana/accounts.js';
import { TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { reads, signs, swapData, writes } from '#libs/chain/market-ports/solana/swap-call.js';
import type { SolanaSwapInstructions } from '#libs/chain/market-ports/solana/swap-instructions.js';
import { readRaydiumV4 } from './account.js';
import { raydiumV4Pools } from './quote.js';

const { program } = raydiumV4Pools;
const AUTHORITY = '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1';
const EXACT_IN = Uint8Array.of(9);
const EXACT_OUT = Uint8Array.of(11);
/** Accounts of the order book, from its program to the signer of its vaults: only AMMs that trade on one look at them. */
const MARKET_ACCOUNTS = 8;

/** SwapBaseIn and SwapBaseOut, which takes the most input before the output. */
export const raydiumV4Swaps: SolanaSwapInstructions = {
  needs(address, known) {
    const pool = poolAt(address, known);
    return pool === null ? [] : [pool.coinMint, pool.pcMint];
  },
  write(order, known) {
    const pool = poolAt(order.pool, known);
    if (pool === null) return null;
    const { exact, amount, limit } = order;
    return {
      program,
      accounts: [
        ...[reads(TOKEN_PROGRAM), writes(order.pool), reads(AUTHORITY), writes(pool.openOrders)],
        ...[writes(pool.coinVault), writes(pool.pcVault)],
        ...Array.from({ length: MARKET_ACCOUNTS }, () => writes(order.pool)),
        ...[writes(order.inputAccount), writes(order.outputAccount), signs(order.trader)],
      ],
      data: exact === 'in' ? swapData(EXACT_IN, amount, limit) : swapData(EXACT_OUT, limit, amount),
    };
  },
};

const poolAt = (address: string, known: KnownAccounts) => readOwned(known, address, program, readRaydiumV4);
