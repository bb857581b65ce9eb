import { EventLayout, emittedEvent } from '#libs/chains/solana/event-layout.js';
import { movedAmounts, vaultsAt } from '#libs/chains/solana/token-transfer.js';
import type { SolanaTransaction } from '#libs/chains/solana/transaction.js';
import { NO_LEGS, type SolanaLeg, type SolanaVenue } from '#libs/chains/solana/venue.js';

const HEAD = 'pool:key config:key trade_direction:u8 has_referral:bool';
const SECOND = `${HEAD} amount_0:u64 amount_1:u64 swap_mode:u8 included_fee_input_amount:u64
  excluded_fee_input_amount:u64 amount_left:u64 output_amount:u64 next_sqrt_price:u128 trading_fee:u64 protocol_fee:u64
  referral_fee:u64 quote_reserve_amount:u64 migration_threshold:u64 current_timestamp:u64`;

export const DBC_SWAP = new EventLayout(
  '1b3c15d58aaabb93',
  `${HEAD} params_amount_in:u64 minimum_amount_out:u64 actual_input_amount:u64 output_amount:u64 next_sqrt_price:u128
   trading_fee:u64 protocol_fee:u64 referral_fee:u64 amount_in:u64 current_timestamp:u64`,
);
export const DBC_SWAP_2 = new EventLayout('bd4233a826507599', SECOND);
export const DBC_SWAP_2_HOOK = new EventLayout('863ba8785e3372e7', SECOND);
const EVENTS = [DBC_SWAP, DBC_SWAP_2, DBC_SWAP_2_HOOK];
const BASE_TO_QUOTE = 0;
const BASE_VAULT = 5;
const QUOTE_VAULT = 6;
const BASE_MINT = 7;
const QUOTE_MINT = 8;
const PAYER = 9;

/** Meteora's dynamic bonding curve. One swap may emit both forms of its event: the first one found is read. */
export const meteoraDbc: SolanaVenue = {
  venue: 'meteora-dbc',
  dex: 'Meteora DBC',
  kind: 'curve',
  program: 'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN',
  legs,
};

function legs(tx: SolanaTransaction, index: number): readonly SolanaLeg[] {
  const event = emittedEvent(tx, index, EVENTS);
  if (event === null) return NO_LEGS;
  const { layout, data } = event;
  const inputAmount = layout.u64(data, layout === DBC_SWAP ? 'amount_in' : 'included_fee_input_amount');
  const outputAmount = layout.u64(data, 'output_amount');
  if (inputAmount === undefined || outputAmount === undefined) return NO_LEGS;
  const instruction = tx.instructions[index]!;
  const base = tx.accountKey(instruction, BASE_MINT);
  const quote = tx.accountKey(instruction, QUOTE_MINT);
  const sell = layout.field(data, 'trade_direction') === BASE_TO_QUOTE;
  return [
    {
      pool: layout.field(data, 'pool') as string,
      authority: tx.accountKey(instruction, PAYER),
      inputMint: sell ? base : quote,
      outputMint: sell ? quote : base,
      ...movedAmounts(tx, index, vaultsAt(tx, index, BASE_VAULT, QUOTE_VAULT), { inputAmount, outputAmount }),
    },
  ];
}
