import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { emittedEvent } from '#libs/chain/market-ports/solana/event-layout.js';
import { eventLeg, type SwapPlaces } from '#libs/chain/market-ports/solana/event-leg.js';
import { curveAfter } from '#libs/chain/market-ports/solana/stated.js';
import {
  NO_LEGS,
  type SolanaLaunchpad,
  type SolanaLeg,
  type StatedPool,
} from '#libs/chain/market-ports/solana/venue.js';
import { curveKindOf, launchlabSpot } from './curve.js';
import { LAUNCHLAB_TRADE, launchlabLayout, launchlabReserves } from './events.js';
import { launchlabLaunches } from './launches.js';

export { launchlabLayout } from './events.js';

const EVENTS = [LAUNCHLAB_TRADE];
const PAYER = 0;
const PLACES: SwapPlaces = { vaults: [7, 8], mints: [9, 10] };

/** Raydium LaunchLab. The direction is at another place in each form of the event. */
export const raydiumLaunchlab: SolanaLaunchpad = {
  venue: 'raydium-launchlab',
  dex: 'Raydium LaunchLab',
  kind: 'curve',
  launchpad: 'raydium-launchlab',
  program: 'LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj',
  legs,
  launches: launchlabLaunches,
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
  const buy = direction === 0;
  const pool = layout.field(data, 'pool_state') as string;
  const authority = tx.accountKey(tx.instructions[index]!, PAYER);
  const swap = { pool, authority, inputAmount, outputAmount };
  return [eventLeg(tx, index, PLACES, !buy, swap, statedBy(data, buy))];
}

/** Price and reserves after the trade: the tokens left to sell and the quote raised. */
function statedBy(data: Uint8Array, buy: boolean): StatedPool {
  const after = launchlabReserves(data);
  if (after === null || after.realBase > after.totalBaseSell) return {};
  const left = after.totalBaseSell - after.realBase;
  return curveAfter(buy, launchlabSpot(curveKindOf(after), after), left, after.realQuote);
}
