import { type KnownAccounts, readOwned } from '#libs/chain/chains/solana/accounts.js';
import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';
import { tokenProgramOf } from '#libs/chain/chains/solana/token-account.js';
import { inOrder, MEMO_PROGRAM, reads, signs, swapData, writes } from '#libs/chain/market-ports/solana/swap-call.js';
import type { SolanaSwapInstructions } from '#libs/chain/market-ports/solana/swap-instructions.js';
import { readWhirlpool } from './account.js';
import { orcaWhirlpool } from './decode.js';
import { arrayStarts, oracleAddress, tickArrayAddress } from './quote.js';

const { program } = orcaWhirlpool;
const SWAP_V2 = bytesOfHex('2b04ed0b1ac91e62');
const ARRAYS = 3;

/** swap_v2: accounts in the order of the pool's tokens, three arrays of ticks in the swap's direction, no limit of the price. */
export const orcaWhirlpoolSwaps: SolanaSwapInstructions = {
  needs(address, known) {
    const pool = poolAt(address, known);
    return pool === null ? [] : [pool.mintA, pool.mintB];
  },
  write(order, known) {
    const { pool: address, aToB, exact, amount, limit } = order;
    const pool = poolAt(address, known);
    const [programA, programB] = pool === null ? [] : [pool.mintA, pool.mintB].map((m) => tokenProgramOf(known, m));
    if (pool === null || !programA || !programB) return null;
    const starts = arrayStarts(pool, aToB);
    const [userA, userB] = inOrder(aToB, order.inputAccount, order.outputAccount);
    const priceLimit = new Uint8Array(16);
    const noFurtherAccounts = 0;
    return {
      program,
      accounts: [
        ...[reads(programA), reads(programB), reads(MEMO_PROGRAM), signs(order.trader), writes(address)],
        ...[
          reads(pool.mintA),
          reads(pool.mintB),
          writes(userA),
          writes(pool.vaultA),
          writes(userB),
          writes(pool.vaultB),
        ],
        // At the end of the range of ticks fewer arrays are ahead: the last one is named again.
        ...Array.from({ length: ARRAYS }, (_, n) => writes(tickArrayAddress(address, starts[n] ?? starts.at(-1)!))),
        writes(oracleAddress(address)),
      ],
      data: swapData(
        SWAP_V2,
        amount,
        limit,
        Uint8Array.of(...priceLimit, exact === 'in' ? 1 : 0, aToB ? 1 : 0, noFurtherAccounts),
      ),
    };
  },
};

const poolAt = (address: string, known: KnownAccounts) => readOwned(known, address, program, readWhirlpool);
