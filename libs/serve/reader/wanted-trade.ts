import type { TradesQuery } from '#libs/pipeline/store/market/trade-reads.js';
import type { TradeFact } from '#libs/protocol/facts.js';
import { sideOf } from './trade-side.js';

/** Whether a trade of the filter's token passes all else that the filter says of trades. */
export function isWanted(trade: TradeFact, { token, pool, wallet, side, minUsd }: TradesQuery): boolean {
  if (pool !== undefined && trade.pool !== pool) return false;
  if (wallet !== undefined && trade.wallet !== wallet) return false;
  if (side !== undefined && sideOf(trade, token ?? trade.base) !== side) return false;
  return minUsd === undefined || (trade.volumeUsd !== null && trade.volumeUsd >= minUsd);
}

export const isBeforePlace = (block: number, ordinal: number, place: { block: number; ordinal: number }): boolean =>
  block < place.block || (block === place.block && ordinal < place.ordinal);
