import { type KnownAccounts, readOwned } from '#libs/chain/chains/solana/accounts.js';
import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';
import { deriveAddress } from '#libs/chain/chains/solana/derive.js';
import { tokenProgramOf } from '#libs/chain/chains/solana/token-account.js';
import {
  EVENT_AUTHORITY_SEED,
  MEMO_PROGRAM,
  reads,
  signs,
  swapData,
  writes,
} from '#libs/chain/market-ports/solana/swap-call.js';
import type { SolanaSwapInstructions } from '#libs/chain/market-ports/solana/swap-instructions.js';
import { readPair } from './account.js';
import { meteoraDlmm } from './decode.js';
import { swapAccounts } from './quote.js';

const { program } = meteoraDlmm;
const EVENT_AUTHORITY = deriveAddress(program, [EVENT_AUTHORITY_SEED]);
const EXACT_IN = bytesOfHex('414b3f4ceb5b5b88');
const EXACT_OUT = bytesOfHex('2bd7f784893cf351');
/** A list of no slices: accounts for transfer hooks are not passed. */
const NO_SLICES = new Uint8Array(4);

/** swap2 and swap_exact_out2, which takes the most input before the output; the arrays of bins follow. No host. */
export const meteoraDlmmSwaps: SolanaSwapInstructions = {
  needs(address, known) {
    const pair = pairAt(address, known);
    return pair === null ? [] : [pair.mintX, pair.mintY];
  },
  write(order, known) {
    const { pool: address, aToB, exact, amount, limit } = order;
    const pair = pairAt(address, known);
    const [programX, programY] = pair === null ? [] : [pair.mintX, pair.mintY].map((m) => tokenProgramOf(known, m));
    if (pair === null || !programX || !programY) return null;
    const { extension, arrays } = swapAccounts(address, pair, known, aToB);
    return {
      program,
      accounts: [
        // An account that is left out is the program itself.
        ...[writes(address), extension === null ? reads(program) : writes(extension)],
        ...[writes(pair.reserveX), writes(pair.reserveY)],
        ...[writes(order.inputAccount), writes(order.outputAccount), reads(pair.mintX), reads(pair.mintY)],
        ...[writes(pair.oracle), reads(program), signs(order.trader), reads(programX), reads(programY)],
        ...[reads(MEMO_PROGRAM), reads(EVENT_AUTHORITY), reads(program), ...arrays.map(writes)],
      ],
      data:
        exact === 'in' ? swapData(EXACT_IN, amount, limit, NO_SLICES) : swapData(EXACT_OUT, limit, amount, NO_SLICES),
    };
  },
};

const pairAt = (address: string, known: KnownAccounts) => readOwned(known, address, program, readPair);
