import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';
import { poolSwaps } from '#libs/chain/market-ports/solana/account-pools.js';
import {
  inOrder,
  MEMO_PROGRAM,
  reads,
  signs,
  swapData,
  tokenProgramsOf,
  writes,
} from '#libs/chain/market-ports/solana/swap-call.js';
import { arrayStarts, oracleAddress, orcaWhirlpoolPools, tickArrayAddress } from './quote.js';

const SWAP_V2 = bytesOfHex('2b04ed0b1ac91e62');
const ARRAYS = 3;

/** swap_v2: accounts in the order of the pool's tokens, three arrays of ticks in the swap's direction, no limit of the price. */
export const orcaWhirlpoolSwaps = poolSwaps(orcaWhirlpoolPools, {
  needs: ({ mintA, mintB }) => [mintA, mintB],
  write(pool, order, { address, known }) {
    const { aToB, exact, amount, limit } = order;
    const programs = tokenProgramsOf(known, pool.mintA, pool.mintB);
    if (programs === null) return null;
    const starts = arrayStarts(pool, aToB);
    const [userA, userB] = inOrder(aToB, order.inputAccount, order.outputAccount);
    const priceLimit = new Uint8Array(16);
    const noFurtherAccounts = 0;
    return {
      accounts: [
        ...[...programs.map(reads), reads(MEMO_PROGRAM), signs(order.trader), writes(address)],
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
});
