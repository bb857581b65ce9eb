import { EventLayout } from '#libs/chain/market-ports/solana/event-layout.js';
import type { LaunchlabReserves } from './curve.js';

/** Events of Raydium LaunchLab's program. */
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
const LAUNCHLAB_TRADE_1 = new EventLayout(DISCRIMINATOR, `${HEAD} share_fee:u64 ${END}`);
/** Bytes of the first form, tag and discriminator included. */
const FIRST_FORM_BYTES = 146;

export const LAUNCHLAB_CREATE = new EventLayout('97d7e20976a173ae', 'pool_state:key creator:key config:key');

/** The layout that a payload of this event was written in. */
export const launchlabLayout = (data: Uint8Array): EventLayout =>
  data.length - LAUNCHLAB_TRADE.bodyAt(data) <= FIRST_FORM_BYTES - 16 ? LAUNCHLAB_TRADE_1 : LAUNCHLAB_TRADE;

export interface LaunchlabState extends LaunchlabReserves {
  readonly totalBaseSell: bigint;
  /** Whether the pool still raises funds. */
  readonly raising: boolean;
}

const RAISING = 0;

/** The pool after a trade; null where the event ends early. */
export function launchlabReserves(data: Uint8Array): LaunchlabState | null {
  const layout = launchlabLayout(data);
  const totalBaseSell = layout.u64(data, 'total_base_sell');
  const virtualBase = layout.u64(data, 'virtual_base');
  const virtualQuote = layout.u64(data, 'virtual_quote');
  const realBase = layout.u64(data, 'real_base_after');
  const realQuote = layout.u64(data, 'real_quote_after');
  const status = layout.field(data, 'pool_status');
  if (totalBaseSell === undefined || virtualBase === undefined || virtualQuote === undefined) return null;
  if (realBase === undefined || realQuote === undefined || status === undefined) return null;
  return { totalBaseSell, virtualBase, virtualQuote, realBase, realQuote, raising: status === RAISING };
}
