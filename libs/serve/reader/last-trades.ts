import type { Hex } from '#libs/core/ids.js';
import type { RetractedRange } from '#libs/pipeline/store/market/view.js';
import { type ChainView, isEarlier, sameTables } from './chain-view.js';
import { candleTrade } from './trade-side.js';

/** A wallet that bought, or sold, a token. */
export interface TradedPair {
  token: Hex;
  bought: boolean;
  wallet: Hex;
}

export const pairKey = ({ token, bought, wallet }: TradedPair): string => `${token}${bought ? '+' : '-'}${wallet}`;

/**
 * When wallets of the tail bought and sold last, as the tables say at a view. What was asked for at the view before is known: blocks that
 * went from its tail into the tables have moved it on. Only those of the newest tail are kept.
 */
export class LastTrades {
  private last: { view: ChainView; times: ReadonlyMap<string, number> } | null = null;

  /** By `pairKey`; a pair without a trade since `earliest` may be at an earlier time, or at none. */
  async of(view: ChainView, earliest: number, pairs: ReadonlyMap<string, TradedPair>): Promise<Map<string, number>> {
    const known = this.knownAt(view);
    const missing = [...pairs].filter(([key]) => !known.has(key)).map(([, pair]) => pair);
    const found = missing.length === 0 ? [] : await view.reads.lastTradesOf(view.tables, earliest, missing);
    const times = new Map([...pairs.keys()].map((key) => [key, known.get(key) ?? Number.NEGATIVE_INFINITY]));
    for (const pair of found) times.set(pairKey(pair), pair.time);
    // A view of earlier is no reason to forget.
    if (this.last === null || !isEarlier(view.pin, this.last.view.pin)) this.last = { view, times };
    return times;
  }

  private knownAt(view: ChainView): ReadonlyMap<string, number> {
    if (this.last === null || !follows(view, this.last.view)) return new Map();
    const { times, view: before } = this.last;
    if (view.tables.seq === before.tables.seq) return times;
    const moved = new Map(times);
    for (const { facts } of before.groups) {
      if (facts.kind !== 'block' || facts.seq > view.tables.seq) continue;
      for (const trade of facts.trades) {
        for (const token of [trade.base, trade.quote]) {
          const key = pairKey({ token, bought: candleTrade(trade, token).side === 'buy', wallet: trade.wallet });
          const known = moved.get(key);
          if (known !== undefined) moved.set(key, Math.max(known, facts.time));
        }
      }
    }
    return moved;
  }
}

/** Whether the tables of a view have the rows of those before and blocks that were in the tail before, no other ones. */
function follows({ pin, head, tables }: ChainView, before: ChainView): boolean {
  return (
    sameTables(pin, before.pin) &&
    tables.asOfBlock === undefined &&
    before.tables.asOfBlock === undefined &&
    head.time >= before.head.time &&
    tables.seq >= before.tables.seq &&
    tables.seq <= before.pin.seq &&
    sameRanges(tables.retracted, before.tables.retracted)
  );
}

const sameRanges = (a: readonly RetractedRange[], b: readonly RetractedRange[]): boolean =>
  a.length === b.length &&
  a.every(({ fromSeq, retractSeq }, index) => fromSeq === b[index]!.fromSeq && retractSeq === b[index]!.retractSeq);
