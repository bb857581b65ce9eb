import { bytesOfHex, startsWith } from '#libs/chain/chains/solana/bytes.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { EventLayout, emittedEvent } from '#libs/chain/market-ports/solana/event-layout.js';
import { eventLeg, type SwapPlaces } from '#libs/chain/market-ports/solana/event-leg.js';
import { sqrtSpot } from '#libs/chain/market-ports/solana/stated.js';
import {
  NO_LAUNCHES,
  NO_LEGS,
  type SolanaLaunch,
  type SolanaLaunchpad,
  type SolanaLeg,
} from '#libs/chain/market-ports/solana/venue.js';

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
const DBC_SWAP_2_HOOK = new EventLayout('863ba8785e3372e7', SECOND);
const EVENTS = [DBC_SWAP, DBC_SWAP_2, DBC_SWAP_2_HOOK];
const SECOND_EVENTS = [DBC_SWAP_2, DBC_SWAP_2_HOOK];
const CREATED_FIELDS = 'pool:key config:key creator:key base_mint:key pool_type:u8 activation_point:u64';
const CREATED_EVENTS = ['e432f655cb428625', 'd589a435c14a0f6e'].map((each) => new EventLayout(each, CREATED_FIELDS));
const COMPLETE_FIELDS = 'pool:key config:key base_reserve:u64 quote_reserve:u64';
const COMPLETE_EVENTS = ['e5e756549c864b18', '3b2f6dcd0d1f2c9f'].map((each) => new EventLayout(each, COMPLETE_FIELDS));
/** Instructions that move a complete curve to a pool: to DAMM v1 and v2; the curve is their first account. */
const MIGRATIONS = [
  { discriminator: bytesOfHex('1b013016b43f76d9'), pool: 4, baseMint: 7 },
  { discriminator: bytesOfHex('9ca9e66735e45040'), pool: 4, baseMint: 13 },
];
const WHOLE = 1_000_000n;
const BASE_TO_QUOTE = 0;
const BASE_MINT = 7;
const PLACES: SwapPlaces = { vaults: [5, 6], mints: [BASE_MINT, 8] };
const PAYER = 9;

/** Meteora's dynamic bonding curve. One swap may emit both forms of its event: the first one found is read. */
export const meteoraDbc: SolanaLaunchpad = {
  venue: 'meteora-dbc',
  launchpad: 'meteora-dbc',
  dex: 'Meteora DBC',
  kind: 'curve',
  program: 'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN',
  legs,
  launches,
};

function legs(tx: SolanaTransaction, index: number): readonly SolanaLeg[] {
  const event = emittedEvent(tx, index, EVENTS);
  if (event === null) return NO_LEGS;
  const { layout, data } = event;
  const inputAmount = layout.u64(data, layout === DBC_SWAP ? 'amount_in' : 'included_fee_input_amount');
  const outputAmount = layout.u64(data, 'output_amount');
  if (inputAmount === undefined || outputAmount === undefined) return NO_LEGS;
  const sell = layout.field(data, 'trade_direction') === BASE_TO_QUOTE;
  const pool = layout.field(data, 'pool') as string;
  const authority = tx.accountKey(tx.instructions[index]!, PAYER);
  const after = sqrtSpot(layout.u64(data, 'next_sqrt_price'), sell);
  return [eventLeg(tx, index, PLACES, sell, { pool, authority, inputAmount, outputAmount }, after)];
}

function launches(tx: SolanaTransaction, index: number): readonly SolanaLaunch[] {
  const instruction = tx.instructions[index]!;
  const { data } = instruction;
  for (const { discriminator, pool, baseMint } of MIGRATIONS) {
    if (!startsWith(data, 0, discriminator)) continue;
    const [curve, token] = [tx.accountKey(instruction, 0), tx.accountKey(instruction, baseMint)];
    if (curve === '' || token === '') return NO_LAUNCHES;
    return [{ step: 'graduated', token, curve, pool: tx.accountKey(instruction, pool) }];
  }
  const created = createdBy(tx, index);
  if (created !== null) return [created];
  const token = tx.accountKey(instruction, BASE_MINT);
  if (token === '') return NO_LAUNCHES;
  const steps = [progressOf(tx, index, token), completedBy(tx, index, token)];
  const taken = steps.filter((step) => step !== null);
  return taken.length === 0 ? NO_LAUNCHES : taken;
}

function createdBy(tx: SolanaTransaction, index: number): SolanaLaunch | null {
  const event = emittedEvent(tx, index, CREATED_EVENTS);
  if (event === null) return null;
  const [token, curve, creator] = ['base_mint', 'pool', 'creator'].map((name) => event.layout.field(event.data, name));
  if (typeof token !== 'string' || typeof curve !== 'string' || typeof creator !== 'string') return null;
  return { step: 'created', token, curve, creator };
}

/** Only the second form of the swap's event states the quote reserve and what the migration takes. */
function progressOf(tx: SolanaTransaction, index: number, token: string): SolanaLaunch | null {
  const event = emittedEvent(tx, index, SECOND_EVENTS);
  if (event === null) return null;
  const curve = event.layout.field(event.data, 'pool') as string;
  const raised = event.layout.u64(event.data, 'quote_reserve_amount');
  const threshold = event.layout.u64(event.data, 'migration_threshold');
  if (raised === undefined || threshold === undefined || threshold === 0n) return null;
  const progressPpm = raised >= threshold ? Number(WHOLE) : Number((raised * WHOLE) / threshold);
  return { step: 'progress', token, curve, progressPpm };
}

function completedBy(tx: SolanaTransaction, index: number, token: string): SolanaLaunch | null {
  const event = emittedEvent(tx, index, COMPLETE_EVENTS);
  const curve = event?.layout.field(event.data, 'pool');
  return typeof curve === 'string' ? { step: 'graduated', token, curve, pool: '' } : null;
}
