import { bytesOfHex, startsWith } from '#libs/chain/chains/solana/bytes.js';
import { movedAmounts, vaultsAt } from '#libs/chain/chains/solana/token-transfer.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { type EmittedEvent, EventLayout, emittedEvents } from '#libs/chain/market-ports/solana/event-layout.js';
import { namedVaults } from '#libs/chain/market-ports/solana/stated.js';
import { NO_LEGS, type SolanaLeg, type SolanaVenue } from '#libs/chain/market-ports/solana/venue.js';

const HEAD = `user_base_token_reserves:u64 user_quote_token_reserves:u64 pool_base_token_reserves:u64
  pool_quote_token_reserves:u64`;
const FEES = 'lp_fee_basis_points:u64 lp_fee:u64 protocol_fee_basis_points:u64 protocol_fee:u64';
const ACCOUNTS = `pool:key user:key user_base_token_account:key user_quote_token_account:key protocol_fee_recipient:key
  protocol_fee_recipient_token_account:key coin_creator:key coin_creator_fee_basis_points:u64 coin_creator_fee:u64`;
const TAIL = 'cashback_fee_basis_points:u64 cashback:u64 buyback_fee_basis_points:u64 buyback_fee:u64';

export const PUMPSWAP_BUY = new EventLayout(
  '67f4521f2cf57777',
  `timestamp:i64 base_amount_out:u64 max_quote_amount_in:u64 ${HEAD} quote_amount_in:u64 ${FEES}
   quote_amount_in_with_lp_fee:u64 user_quote_amount_in:u64 ${ACCOUNTS} track_volume:bool total_unclaimed_tokens:u64
   total_claimed_tokens:u64 current_sol_volume:u64 last_update_timestamp:i64 min_base_amount_out:u64 ix_name:string ${TAIL}`,
);
export const PUMPSWAP_SELL = new EventLayout(
  '3e2f370aa503dc2a',
  `timestamp:i64 base_amount_in:u64 min_quote_amount_out:u64 ${HEAD} quote_amount_out:u64 ${FEES}
   quote_amount_out_without_lp_fee:u64 user_quote_amount_out:u64 ${ACCOUNTS} ${TAIL}`,
);
const EVENTS = [PUMPSWAP_BUY, PUMPSWAP_SELL];
const BASE_MINT = 3;
const QUOTE_MINT = 4;
const BASE_VAULT = 7;
const QUOTE_VAULT = 8;
/** In the groups of a route. */
const POOL_AFTER_MINT = 2;
const VAULT_AFTER_MINT = 3;
/** A route over several pools: each group of its accounts is base mint, quote mint, pool, base vault, quote vault. */
const MULTI_HOP = bytesOfHex('2b644913e9f66f94');

/**
 * PumpSwap. A buy's input is what went to the pool, without the fees that the buyer pays on top of it; a sell's output
 * is what reached the seller; fees that stay in the pool's vault (second generation of instructions) are part of what
 * came. A route emits an event for each pool that it crosses.
 */
export const pumpSwap: SolanaVenue = {
  venue: 'pumpswap',
  dex: 'PumpSwap',
  kind: 'constant-product',
  program: 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA',
  legs: (tx, index) => emittedEvents(tx, index, EVENTS).flatMap((event) => toLeg(tx, index, event)),
};

function toLeg(tx: SolanaTransaction, index: number, { layout, data }: EmittedEvent): readonly SolanaLeg[] {
  const buy = layout === PUMPSWAP_BUY;
  const inputAmount = layout.u64(data, buy ? 'quote_amount_in_with_lp_fee' : 'base_amount_in');
  const outputAmount = layout.u64(data, buy ? 'base_amount_out' : 'user_quote_amount_out');
  const pool = layout.field(data, 'pool');
  const user = layout.field(data, 'user');
  if (inputAmount === undefined || outputAmount === undefined || user === undefined) return NO_LEGS;
  const amounts = { inputAmount, outputAmount };
  const instruction = tx.instructions[index]!;
  const multiHop = startsWith(instruction.data, 0, MULTI_HOP);
  const shift = multiHop
    ? instruction.accounts.findIndex((_, nth) => tx.accountKey(instruction, nth) === pool) - POOL_AFTER_MINT
    : BASE_MINT;
  const base = tx.accountKey(instruction, shift);
  const quote = tx.accountKey(instruction, shift + QUOTE_MINT - BASE_MINT);
  const vaultAt = multiHop ? shift + VAULT_AFTER_MINT : BASE_VAULT;
  return [
    {
      pool: pool as string,
      authority: user as string,
      inputMint: buy ? quote : base,
      outputMint: buy ? base : quote,
      ...(multiHop ? amounts : movedAmounts(tx, index, vaultsAt(tx, index, BASE_VAULT, QUOTE_VAULT), amounts)),
      stated: namedVaults(tx, index, vaultAt, vaultAt + 1),
    },
  ];
}
