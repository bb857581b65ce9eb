import { movedAmounts, vaultsAt } from '#libs/chain/chains/solana/token-transfer.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { emittedEvent } from '#libs/chain/market-ports/solana/event-layout.js';
import { curveAfter, namedVaults } from '#libs/chain/market-ports/solana/stated.js';
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
const BASE_VAULT = 7;
const QUOTE_VAULT = 8;
const BASE_MINT = 9;
const QUOTE_MINT = 10;

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
      stated: { ...namedVaults(tx, index, BASE_VAULT, QUOTE_VAULT), ...statedBy(data, buy) },
    },
  ];
}

/** Price and reserves after the trade: the tokens left to sell and the quote raised. */
function statedBy(data: Uint8Array, buy: boolean): StatedPool {
  const after = launchlabReserves(data);
  if (after === null || after.realBase > after.totalBaseSell) return {};
  const left = after.totalBaseSell - after.realBase;
  return curveAfter(buy, launchlabSpot(curveKindOf(after), after), left, after.realQuote);
}
