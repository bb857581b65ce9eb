import { readOwned } from '#libs/chain/chains/solana/accounts.js';
import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';
import { deriveAddress } from '#libs/chain/chains/solana/derive.js';
import { associatedAddress, DerivedAddresses } from '#libs/chain/chains/solana/derived-addresses.js';
import { SYSTEM_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { tokenProgramOf } from '#libs/chain/chains/solana/token-account.js';
import {
  EVENT_AUTHORITY_SEED,
  inOrder,
  pays,
  reads,
  swapData,
  writes,
} from '#libs/chain/market-ports/solana/swap-call.js';
import type { SolanaSwapInstructions } from '#libs/chain/market-ports/solana/swap-instructions.js';
import { decodeBase58 } from '#libs/core/base58.js';
import { type PumpSwapPool, readBuybackRecipients, readPumpSwapPool } from './account.js';
import { PUMPSWAP_CONFIG, PUMPSWAP_FEES, pumpSwapPools } from './quote.js';

type Known = Parameters<SolanaSwapInstructions['needs']>[1];

const { program } = pumpSwapPools;
const EVENT_AUTHORITY = deriveAddress(program, [EVENT_AUTHORITY_SEED]);
const SELL = bytesOfHex('5df6823ce7e940b2');
const BUY_EXACT_IN = bytesOfHex('c2ab1c46684d5b2f');
const BUY_EXACT_OUT = bytesOfHex('b817ee6167c5d33d');
/** As the program makes them today. */
const [ACCUMULATOR_BYTES, POOL_BYTES] = [137, 287];
const accumulators = new DerivedAddresses(program, 'user_volume_accumulator');

/**
 * buy_v2, buy_exact_quote_in_v2 and sell_v2, which share one list of accounts. The trader pays the rent of the own account that
 * counts volumes, and of a pool's account of an earlier length. Pools that give the creator's fee back take none of the three.
 */
export const pumpSwapSwaps: SolanaSwapInstructions = {
  needs(address, known) {
    const pool = poolAt(address, known);
    if (pool === null) return [];
    return [pool.baseMint, pool.quoteMint, ...candidates(pool, address, known).needed];
  },
  write(order, known) {
    const pool = poolAt(order.pool, known);
    if (pool === null || (order.aToB && order.exact === 'out')) return null;
    const [base, quote] = [pool.baseMint, pool.quoteMint].map((mint) => tokenProgramOf(known, mint));
    const { chosen } = candidates(pool, order.pool, known);
    if (!base || !quote || chosen === null) return null;
    const [ownBase, ownQuote] = inOrder(order.aToB, order.inputAccount, order.outputAccount);
    const tag = order.aToB ? SELL : order.exact === 'in' ? BUY_EXACT_IN : BUY_EXACT_OUT;
    return {
      program,
      accounts: [
        ...[
          writes(order.pool),
          pays(order.trader),
          reads(PUMPSWAP_CONFIG),
          reads(pool.baseMint),
          reads(pool.quoteMint),
        ],
        ...[ownBase, ownQuote, pool.baseVault, pool.quoteVault].map(writes),
        ...[reads(base), reads(quote), reads(SYSTEM_PROGRAM), writes(accumulators.of(order.trader))],
        ...[reads(PUMPSWAP_FEES), writes(chosen), reads(EVENT_AUTHORITY), reads(program)],
      ],
      data: swapData(tag, order.amount, order.limit),
    };
  },
  deposits: (pool, trader) => [
    { address: accumulators.of(trader), bytes: ACCUMULATOR_BYTES },
    { address: pool, bytes: POOL_BYTES },
  ],
};

function poolAt(address: string, known: Known): PumpSwapPool | null {
  const pool = readOwned(known, address, program, readPumpSwapPool);
  return pool === null || pool.cashback ? null : pool;
}

/**
 * The account that a part of the protocol's fee goes to: of the first recipient that has one, counted from a place that differs
 * between pools, so that their swaps seldom wait for one another.
 */
function candidates(pool: PumpSwapPool, address: string, known: Known): { needed: string[]; chosen: string | null } {
  const tokens = tokenProgramOf(known, pool.quoteMint);
  const recipients = readOwned(known, PUMPSWAP_CONFIG, program, readBuybackRecipients) ?? [];
  const needed: string[] = [];
  if (tokens === null) return { needed, chosen: null };
  const start = decodeBase58(address)![0]!;
  for (let nth = 0; nth < recipients.length; nth++) {
    const account = associatedAddress(recipients[(start + nth) % recipients.length]!, pool.quoteMint, tokens);
    needed.push(account);
    const found = known.get(account);
    if (found === undefined) break;
    if (found?.owner === tokens) return { needed, chosen: account };
  }
  return { needed, chosen: null };
}
