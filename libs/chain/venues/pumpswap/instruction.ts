import { type KnownAccounts, readOwned } from '#libs/chain/chains/solana/accounts.js';
import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';
import { DerivedAddresses } from '#libs/chain/chains/solana/derived-addresses.js';
import { SYSTEM_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { type PoolAccounts, poolSwaps } from '#libs/chain/market-ports/solana/account-pools.js';
import { buybackAccount } from '#libs/chain/market-ports/solana/pump-buyback.js';
import {
  eventAuthority,
  inOrder,
  pays,
  reads,
  swapData,
  tokenProgramsOf,
  writes,
} from '#libs/chain/market-ports/solana/swap-call.js';
import { type PumpSwapPool, readBuybackRecipients } from './account.js';
import { PUMPSWAP_CONFIG, PUMPSWAP_FEES, pumpSwapPools } from './quote.js';

const { program, poolAt } = pumpSwapPools;
const EVENT_AUTHORITY = eventAuthority(program);
const SELL = bytesOfHex('5df6823ce7e940b2');
const BUY_EXACT_IN = bytesOfHex('c2ab1c46684d5b2f');
const BUY_EXACT_OUT = bytesOfHex('b817ee6167c5d33d');
/** As the program makes them today. */
const [ACCUMULATOR_BYTES, POOL_BYTES] = [137, 287];
const accumulators = new DerivedAddresses(program, 'user_volume_accumulator');

/** Pools that give fees back are none. */
const traded: PoolAccounts<PumpSwapPool> = {
  program,
  poolAt(address, known) {
    const pool = poolAt(address, known);
    return pool?.cashback ? null : pool;
  },
};

/**
 * buy_v2, buy_exact_quote_in_v2 and sell_v2, which share one list of accounts. The trader pays the rent of the own account that
 * counts volumes, and of a pool's account of an earlier length. Pools that give the creator's fee back take none of the three.
 */
export const pumpSwapSwaps = poolSwaps(traded, {
  needs(pool, { address, known }) {
    return [pool.baseMint, pool.quoteMint, ...buybackOf(pool, address, known).needed];
  },
  write(pool, order, { address, known }) {
    if (order.aToB && order.exact === 'out') return null;
    const programs = tokenProgramsOf(known, pool.baseMint, pool.quoteMint);
    const { chosen } = buybackOf(pool, address, known);
    if (programs === null || chosen === null) return null;
    const [ownBase, ownQuote] = inOrder(order.aToB, order.inputAccount, order.outputAccount);
    const tag = order.aToB ? SELL : order.exact === 'in' ? BUY_EXACT_IN : BUY_EXACT_OUT;
    return {
      accounts: [
        ...[writes(order.pool), pays(order.trader)],
        ...[PUMPSWAP_CONFIG, pool.baseMint, pool.quoteMint].map(reads),
        ...[ownBase, ownQuote, pool.baseVault, pool.quoteVault].map(writes),
        ...[...programs.map(reads), reads(SYSTEM_PROGRAM), writes(accumulators.of(order.trader))],
        ...[reads(PUMPSWAP_FEES), writes(chosen), reads(EVENT_AUTHORITY), reads(program)],
      ],
      data: swapData(tag, order.amount, order.limit),
    };
  },
  deposits: (pool, trader) => [
    { address: accumulators.of(trader), bytes: ACCUMULATOR_BYTES },
    { address: pool, bytes: POOL_BYTES },
  ],
});

function buybackOf({ quoteMint }: PumpSwapPool, address: string, known: KnownAccounts) {
  const recipients = readOwned(known, PUMPSWAP_CONFIG, program, readBuybackRecipients) ?? [];
  return buybackAccount(address, known, quoteMint, recipients);
}
