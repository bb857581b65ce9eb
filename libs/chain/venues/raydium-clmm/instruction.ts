import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { poolSwaps } from '#libs/chain/market-ports/solana/account-pools.js';
import { inOrder, MEMO_PROGRAM, reads, signs, swapData, writes } from '#libs/chain/market-ports/solana/swap-call.js';
import { arrayStarts, extensionAddress, raydiumClmmPools, tickArrayAddress } from './quote.js';

const { program } = raydiumClmmPools;
const SWAP_V2 = bytesOfHex('2b04ed0b1ac91e62');

/** swap_v2: the extension of the bitmap where there is one, then the arrays of ticks; no limit of the price. */
export const raydiumClmmSwaps = poolSwaps(raydiumClmmPools, {
  needs: ({ mintA, mintB }, { address }) => [mintA, mintB, extensionAddress(address)],
  write(pool, order, { address, known }) {
    const { aToB, exact, amount, limit } = order;
    const extension = extensionAddress(address);
    const hasExtension = known.get(extension)?.owner === program;
    const arrays = arrayStarts(address, pool, known, aToB).map((start) => tickArrayAddress(address, start));
    const priceLimit = new Uint8Array(16);
    return {
      accounts: [
        ...[signs(order.trader), reads(pool.config), writes(address)],
        ...[writes(order.inputAccount), writes(order.outputAccount)],
        ...inOrder(aToB, pool.vaultA, pool.vaultB).map(writes),
        ...[writes(pool.observation), reads(TOKEN_PROGRAM), reads(TOKEN_2022_PROGRAM), reads(MEMO_PROGRAM)],
        ...inOrder(aToB, pool.mintA, pool.mintB).map(reads),
        ...[...(hasExtension ? [writes(extension)] : []), ...arrays.map(writes)],
      ],
      data: swapData(SWAP_V2, amount, limit, Uint8Array.of(...priceLimit, exact === 'in' ? 1 : 0)),
    };
  },
});
