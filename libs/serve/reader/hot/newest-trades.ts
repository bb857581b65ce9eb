import type { TradeRow, TradesQuery } from '#libs/pipeline/store/market/trade-reads.js';
import type { TailGroup } from '../tail-buffer.js';
import { isBeforePlace, isWanted } from '../wanted-trade.js';
import type { HotState } from './hot-states.js';
import { placeOf } from './newest-row.js';

/** The newest trades that match a filter, newest first; all of them where `complete`. */
export class NewestTrades implements HotState {
  private readonly capacity: number;

  constructor(
    private readonly filter: TradesQuery,
    private rows: TradeRow[],
    private complete: boolean,
    private readonly onTrade: (trade: TradeRow, group: TailGroup) => void,
  ) {
    this.capacity = Math.max(rows.length, filter.limit);
  }

  get bytes(): number {
    return this.rows.length * 900;
  }

  /** Null where older ones are wanted than are held. */
  page({ before, limit }: Pick<TradesQuery, 'before' | 'limit'>): TradeRow[] | null {
    const { rows } = this;
    const from = before === undefined ? 0 : rows.findIndex((row) => isBeforePlace(row.block, row.ordinal, before));
    const found = from < 0 ? [] : rows.slice(from, from + limit);
    return found.length === limit || this.complete ? found : null;
  }

  apply(group: TailGroup): boolean {
    const { facts } = group;
    if (facts.kind !== 'block') return true;
    const { token } = this.filter;
    const fresh: TradeRow[] = [];
    for (const trade of token === undefined ? facts.trades : group.tradesOf(token)) {
      if (!isWanted(trade, this.filter)) continue;
      const row = { ...trade, ...placeOf(group) };
      fresh.unshift(row);
      this.onTrade(row, group);
    }
    if (fresh.length === 0) return true;
    this.rows = [...fresh, ...this.rows];
    if (this.rows.length > 2 * this.capacity) {
      this.rows.length = this.capacity;
      this.complete = false;
    }
    return true;
  }
}
