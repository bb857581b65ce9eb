import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';
import { poolSwaps } from '#libs/chain/market-ports/solana/account-pools.js';
import {
  eventAuthority,
  MEMO_PROGRAM,
  reads,
  signs,
  swapData,
  tokenProgramsOf,
  writes,
} from '#libs/chain/market-ports/solana/swap-call.js';
import { meteoraDlmmPools, swapAccounts } from './quote.js';

const { program } = meteoraDlmmPools;
const EVENT_AUTHORITY = eventAuthority(program);
const EXACT_IN = bytesOfHex('414b3f4ceb5b5b88');
const EXACT_OUT = bytesOfHex('2bd7f784893cf351');
/** A list of no slices: accounts for transfer hooks are not passed. */
const NO_SLICES = new Uint8Array(4);

/** swap2 and swap_exact_out2, which takes the most input before the output; the arrays of bins follow. No host. */
export const meteoraDlmmSwaps = poolSwaps(meteoraDlmmPools, {
  needs: ({ mintX, mintY }) => [mintX, mintY],
  write(pair, order, { address, known }) {
    const { aToB, exact, amount, limit } = order;
    const programs = tokenProgramsOf(known, pair.mintX, pair.mintY);
    if (programs === null) return null;
    const { extension, arrays } = swapAccounts(address, pair, known, aToB);
    return {
      accounts: [
        // An account that is left out is the program itself.
        ...[writes(address), extension === null ? reads(program) : writes(extension)],
        ...[writes(pair.reserveX), writes(pair.reserveY)],
        ...[writes(order.inputAccount), writes(order.outputAccount), reads(pair.mintX), reads(pair.mintY)],
        ...[writes(pair.oracle), reads(program), signs(order.trader), ...programs.map(reads)],
        ...[reads(MEMO_PROGRAM), reads(EVENT_AUTHORITY), reads(program), ...arrays.map(writes)],
      ],
      data:
        exact === 'in' ? swapData(EXACT_IN, amount, limit, NO_SLICES) : swapData(EXACT_OUT, limit, amount, NO_SLICES),
    };
  },
});
