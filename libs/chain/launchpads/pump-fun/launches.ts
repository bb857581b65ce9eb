import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { type EmittedEvent, emittedEvents } from '#libs/chain/market-ports/solana/event-layout.js';
import { NO_LAUNCHES, type SolanaLaunch } from '#libs/chain/market-ports/solana/venue.js';
import { curveOf } from './curve-address.js';
import { PUMP_COMPLETE, PUMP_CREATE, PUMP_MIGRATION, PUMP_TRADE } from './events.js';

const EVENTS = [PUMP_TRADE, PUMP_CREATE, PUMP_COMPLETE, PUMP_MIGRATION];
const PPM = 1_000_000n;
/** Tokens that a curve sells, where its creation says nothing else. */
const FOR_SALE = 793_100_000_000_000n;

/**
 * Launches on pump.fun as its events tell them. A curve is complete with its last sale, and its token moves to a pool in
 * a later transaction: both are graduations, the second names the pool. A failed transaction launches nothing.
 */
export function pumpLaunches(tx: SolanaTransaction, index: number): readonly SolanaLaunch[] {
  if (tx.failed) return NO_LAUNCHES;
  return emittedEvents(tx, index, EVENTS).flatMap((event) => stepOf(tx, index, event) ?? []);
}

function stepOf(tx: SolanaTransaction, index: number, { layout, data }: EmittedEvent): SolanaLaunch | null {
  if (layout === PUMP_TRADE) return progress(tx, index, data);
  const token = layout.field(data, 'mint') as string | undefined;
  const curve = layout.field(data, 'bonding_curve') as string | undefined;
  if (token === undefined || curve === undefined) return null;
  if (layout === PUMP_COMPLETE) return { step: 'graduated', token, curve, pool: '' };
  if (layout === PUMP_MIGRATION) {
    const pool = layout.field(data, 'pool') as string | undefined;
    return pool === undefined ? null : { step: 'graduated', token, curve, pool };
  }
  const creator = (layout.field(data, 'creator') ?? layout.field(data, 'user')) as string | undefined;
  return creator === undefined ? null : { step: 'created', token, curve, creator };
}

function progress(tx: SolanaTransaction, index: number, data: Uint8Array): SolanaLaunch | null {
  const token = PUMP_TRADE.field(data, 'mint') as string | undefined;
  const left = PUMP_TRADE.u64(data, 'real_token_reserves');
  if (token === undefined || left === undefined) return null;
  const curve = curveOf(tx, tx.instructions[index]!, token);
  const forSale = forSaleAtCreation(tx, token) ?? FOR_SALE;
  const sold = left < forSale ? forSale - left : 0n;
  return { step: 'progress', token, curve, progressPpm: Number((sold * PPM) / forSale) };
}

/** What the token's creation in the same transaction says; undefined where it is not created in this one. */
function forSaleAtCreation(tx: SolanaTransaction, token: string): bigint | undefined {
  for (const { data } of tx.instructions) {
    if (PUMP_CREATE.bodyAt(data) === 16 && PUMP_CREATE.field(data, 'mint') === token) {
      return PUMP_CREATE.u64(data, 'real_token_reserves') || undefined;
    }
  }
  return undefined;
}
