import type { Meta } from '#libs/serve/contract/rest/meta.js';
import type { TradeBody } from '#libs/serve/contract/rest/trade-body.js';
import type { TradesFrame } from './live-frame.js';

/**
 * Trades of a token after the frames seen so far. `trades` is always the beginning of what REST lists at `meta`: newest
 * first, without a gap, at most `limit` rows.
 */
export interface TradeList {
  readonly trades: readonly TradeBody[];
  /** What the newest frame removed because its block was replaced; newest first. */
  readonly retracted: readonly TradeBody[];
  /** What the newest frame added, newest first; empty after a snapshot. */
  readonly added: readonly TradeBody[];
  /** The block of the list; null before the first snapshot. */
  readonly meta: Meta | null;
  readonly limit: number;
}

export const emptyTrades = (limit = 200): TradeList => ({ trades: [], retracted: [], added: [], meta: null, limit });

/** The list after one more frame. Frames without rows, and deltas before the first snapshot, change nothing. */
export function followTrades(list: TradeList, frame: TradesFrame): TradeList {
  const { limit } = list;
  if (frame.type === 'snapshot') {
    return { trades: frame.data.slice(0, limit), retracted: [], added: [], meta: frame.meta, limit };
  }
  if (list.meta === null) return list;
  if (frame.type === 'trades') {
    const added = [...frame.data].reverse();
    const ids = new Set(added.map(({ id }) => id));
    const trades = [...added, ...list.trades.filter(({ id }) => !ids.has(id))].slice(0, limit);
    return { trades, retracted: [], added, meta: frame.meta, limit };
  }
  if (frame.type === 'retract') {
    const gone = new Set(frame.data.map(placeOf));
    const retracted = list.trades.filter((trade) => gone.has(placeOf(trade)));
    const trades = retracted.length === 0 ? list.trades : list.trades.filter((trade) => !gone.has(placeOf(trade)));
    return { trades, retracted, added: [], meta: frame.meta, limit };
  }
  if (frame.type === 'tags') {
    const tags = new Map(frame.data.map((changed) => [changed.wallet, changed.tags]));
    const trades = list.trades.map((trade) => ({ ...trade, tags: tags.get(trade.wallet) ?? trade.tags }));
    return { trades, retracted: [], added: [], meta: frame.meta, limit };
  }
  return list;
}

const placeOf = ({ signature, wallet }: { signature: string; wallet: string }): string => `${signature} ${wallet}`;
