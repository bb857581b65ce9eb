import { EventLayout, emittedEvent } from '#libs/chains/solana/event-layout.js';
import { movedAmounts, vaultsAt } from '#libs/chains/solana/token-transfer.js';
import type { SolanaTransaction } from '#libs/chains/solana/transaction.js';
import { NO_LEGS, type SolanaLeg, type SolanaVenue } from '#libs/chains/solana/venue.js';

const DISCRIMINATOR = 'bddb7fd34ee661ee';
const HEAD = `pool_state:key total_base_sell:u64 virtual_base:u64 virtual_quote:u64 real_base_before:u64
  real_quote_before:u64 real_base_after:u64 real_quote_after:u64 amount_in:u64 amount_out:u64 protocol_fee:u64
  platform_fee:u64`;
const END = 'trade_direction:u8 pool_status:u8';

/** A creator fee was put before the share fee later, and the exactness of the input at the end. */
export const LAUNCHLAB_TRADE = new EventLayout(
  DISCRIMINATOR,
  `${HEAD} creator_fee:u64 share_fee:u64 ${END} exact_in:bool`,
);
export const LAUNCHLAB_TRADE_1 = new EventLayout(DISCRIMINATOR, `${HEAD} share_fee:u64 ${END}`);
/** Bytes of the first form, tag and discriminator included. */
const FIRST_FORM_BYTES = 146;
const EVENTS = [LAUNCHLAB_TRADE];
const PAYER = 0;
const BASE_VAULT = 7;
const QUOTE_VAULT = 8;
const BASE_MINT = 9;
const QUOTE_MINT = 10;

/** The layout that a payload of this event was written in. */
export const launchlabLayout = (data: Uint8Array): EventLayout =>
  data.length - LAUNCHLAB_TRADE.bodyAt(data) <= FIRST_FORM_BYTES - 16 ? LAUNCHLAB_TRADE_1 : LAUNCHLAB_TRADE;

/** Raydium LaunchLab. The direction stands at another place in each form of the event. */
export const raydiumLaunchlab: SolanaVenue = {
  venue: 'raydium-launchlab',
  dex: 'Raydium LaunchLab',
  kind: 'curve',
  program: 'LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj',
  legs,
};

function legs(tx: SolanaTransaction, index: number): readonly SolanaLeg[] {
  const event = emittedEvent(tx, index, EVENTS);
  if (event === null) return NO_LEGS;
  const { data } = event;
  const layout = launchlabLayout(data);
  const inputAmount = layout.u64(data, 'amount_in');
  const outputAmount = layout.u64(data, 'amount_out');
  const direction = layout.field(data, 'trade_direction');
  if (inputAmount === undefined || outputAmount === undefined || direction === undefined) return NO_LEGS;
  const instruction = tx.instructions[index]!;
  const base = tx.accountKey(instruction, BASE_MINT);
  const quote = tx.accountKey(instruction, QUOTE_MINT);
  const buy = direction === 0;
  return [
    {
      pool: layout.field(data, 'pool_state') as string,
      authority: tx.accountKey(instruction, PAYER),
      inputMint: buy ? quote : base,
      outputMint: buy ? base : quote,
      ...movedAmounts(tx, index, vaultsAt(tx, index, BASE_VAULT, QUOTE_VAULT), { inputAmount, outputAmount }),
    },
  ];
}
