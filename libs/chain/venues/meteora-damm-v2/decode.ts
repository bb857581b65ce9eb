import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { EventLayout, emittedEvent } from '#libs/chain/market-ports/solana/event-layout.js';
import { eventLeg, type SwapPlaces } from '#libs/chain/market-ports/solana/event-leg.js';
import { sqrtSpot } from '#libs/chain/market-ports/solana/stated.js';
import { NO_LEGS, type SolanaLeg, type SolanaVenue, type StatedPool } from '#libs/chain/market-ports/solana/venue.js';

export const DAMM_SWAP = new EventLayout(
  '1b3c15d58aaabb93',
  `pool:key trade_direction:u8 has_referral:bool amount_in:u64 minimum_amount_out:u64 output_amount:u64
   next_sqrt_price:u128 lp_fee:u64 protocol_fee:u64 partner_fee:u64 referral_fee:u64 actual_amount_in:u64
   current_timestamp:u64`,
);
export const DAMM_SWAP_2 = new EventLayout(
  'bd4233a826507599',
  `pool:key trade_direction:u8 collect_fee_mode:u8 has_referral:bool amount_0:u64 amount_1:u64 swap_mode:u8
   included_fee_input_amount:u64 excluded_fee_input_amount:u64 amount_left:u64 output_amount:u64 next_sqrt_price:u128
   claiming_fee:u64 protocol_fee:u64 compounding_fee:u64 referral_fee:u64 included_transfer_fee_amount_in:u64
   included_transfer_fee_amount_out:u64 excluded_transfer_fee_amount_out:u64 current_timestamp:u64 reserve_a_amount:u64
   reserve_b_amount:u64`,
);
const EVENTS = [DAMM_SWAP_2, DAMM_SWAP];
const A_TO_B = 0;
const PLACES: SwapPlaces = { vaults: [4, 5], mints: [6, 7] };
const PAYER = 8;

/** Meteora DAMM v2: both swap instructions have the same accounts; the event's form depends on the program's version. */
export const meteoraDammV2: SolanaVenue = {
  venue: 'meteora-damm-v2',
  dex: 'Meteora DAMM v2',
  kind: 'concentrated',
  program: 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG',
  legs,
};

function legs(tx: SolanaTransaction, index: number): readonly SolanaLeg[] {
  const event = emittedEvent(tx, index, EVENTS);
  if (event === null) return NO_LEGS;
  const { layout, data } = event;
  const first = layout === DAMM_SWAP;
  const inputAmount = layout.u64(data, first ? 'actual_amount_in' : 'included_transfer_fee_amount_in');
  const outputAmount = layout.u64(data, first ? 'output_amount' : 'included_transfer_fee_amount_out');
  if (inputAmount === undefined || outputAmount === undefined) return NO_LEGS;
  const aToB = layout.field(data, 'trade_direction') === A_TO_B;
  const pool = layout.field(data, 'pool') as string;
  const authority = tx.accountKey(tx.instructions[index]!, PAYER);
  const swap = { pool, authority, inputAmount, outputAmount };
  return [eventLeg(tx, index, PLACES, aToB, swap, poolAfter(layout, data, aToB))];
}

/** The second form of the event also states the reserves that traders own. */
function poolAfter(layout: EventLayout, data: Uint8Array, aToB: boolean): StatedPool {
  const after: StatedPool = sqrtSpot(layout.u64(data, 'next_sqrt_price'), aToB);
  if (layout !== DAMM_SWAP_2) return after;
  const a = layout.u64(data, 'reserve_a_amount');
  const b = layout.u64(data, 'reserve_b_amount');
  if (a === undefined || b === undefined) return after;
  return { ...after, reserves: aToB ? { input: a, output: b } : { input: b, output: a } };
}
