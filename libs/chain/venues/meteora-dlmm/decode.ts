import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { EventLayout, emittedEvent } from '#libs/chain/market-ports/solana/event-layout.js';
import { eventLeg, type SwapPlaces } from '#libs/chain/market-ports/solana/event-leg.js';
import { positionChanges } from '#libs/chain/market-ports/solana/positions.js';
import { NO_LEGS, type SolanaLeg, type SolanaVenue } from '#libs/chain/market-ports/solana/venue.js';
import { dlmmPositions } from './positions.js';

const DLMM_SWAP = new EventLayout(
  '516ce3becdd00ac4',
  `lb_pair:key from:key start_bin_id:i32 end_bin_id:i32 amount_in:u64 amount_out:u64 swap_for_y:bool fee:u64
   protocol_fee:u64 fee_bps:u128 host_fee:u64`,
);
const DLMM_SWAP_2 = new EventLayout(
  '2e7452d7941b544d',
  `lb_pair:key from:key start_bin_id:i32 end_bin_id:i32 swap_for_y:bool fee_bps:u128 amount_in:u64 amount_left:u64
   amount_out:u64 mm_fee:u64 protocol_fee:u64 limit_order_fee:u64 host_fee:u64 fees_on_input:bool fees_on_token_x:bool`,
);
const EVENTS = [DLMM_SWAP, DLMM_SWAP_2];
const PLACES: SwapPlaces = { vaults: [2, 3], mints: [6, 7] };

/** Meteora DLMM: every swap instruction has the same first accounts and emits one event. */
export const meteoraDlmm: SolanaVenue = {
  venue: 'meteora-dlmm',
  dex: 'Meteora DLMM',
  kind: 'concentrated',
  program: 'LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo',
  legs,
  positions: (tx, index) => positionChanges(dlmmPositions, tx, index),
};

function legs(tx: SolanaTransaction, index: number): readonly SolanaLeg[] {
  const event = emittedEvent(tx, index, EVENTS);
  if (event === null) return NO_LEGS;
  const { layout, data } = event;
  const inputAmount = layout.u64(data, 'amount_in');
  const outputAmount = layout.u64(data, 'amount_out');
  const forY = layout.field(data, 'swap_for_y');
  if (inputAmount === undefined || outputAmount === undefined || forY === undefined) return NO_LEGS;
  const [pool, authority] = [layout.field(data, 'lb_pair') as string, layout.field(data, 'from') as string];
  const after = { bin: layout.field(data, 'end_bin_id') as number, binOfInput: forY === true };
  return [eventLeg(tx, index, PLACES, forY === true, { pool, authority, inputAmount, outputAmount }, after)];
}
