import type { Hex } from '#libs/core/ids.js';
import { bucketEnd, bucketStart } from '#libs/pipeline/fold/candles.js';
import type {
  FactsBlock,
  FactsGroup,
  FactsRetract,
  PriceFact,
  ReferencePrice,
  TradeFact,
} from '#libs/protocol/facts.js';
import type { CandleRow, CandlesQuery } from '../market/candle-reads.js';
import type { StatsWindow, WindowStats } from '../market/stats-reads.js';
import type { TradeRow, TradesQuery } from '../market/trade-reads.js';
import type { View } from '../market/view.js';

type Visible = FactsBlock | FactsRetract;

/** The same reads over a plain list of groups: no tables, no seals, no indexes. */
export class NaiveReads {
  constructor(private readonly groups: readonly FactsGroup[]) {}

  visible(view: View): Visible[] {
    const gone = (seq: number) =>
      this.groups.some((g) => g.kind === 'retract' && g.seq <= view.seq && seq >= g.fromSeq && seq < g.seq);
    return this.groups.filter(
      (group): group is Visible =>
        (group.kind === 'block' || group.kind === 'retract') &&
        group.seq <= view.seq &&
        !gone(group.seq) &&
        group.height <= (view.asOfBlock ?? Number.POSITIVE_INFINITY),
    );
  }

  blocks(view: View): FactsBlock[] {
    return this.visible(view).filter((group) => group.kind === 'block');
  }

  trades(view: View): TradeRow[] {
    return this.blocks(view).flatMap((block) =>
      block.trades.map((trade) => ({ ...trade, seq: block.seq, block: block.height, time: block.time })),
    );
  }

  tradesPage(view: View, query: TradesQuery): TradeRow[] {
    const { before } = query;
    return this.trades(view)
      .filter((trade) => query.token === undefined || trade.base === query.token || trade.quote === query.token)
      .filter((trade) => query.pool === undefined || trade.pool === query.pool)
      .filter((trade) => query.wallet === undefined || trade.wallet === query.wallet)
      .filter(
        (trade) => query.side === undefined || (query.side === 'buy') === boughtBy(trade, query.token ?? trade.base),
      )
      .filter(({ volumeUsd }) => query.minUsd === undefined || (volumeUsd !== null && volumeUsd >= query.minUsd))
      .filter((trade) => trade.time >= (query.fromTime ?? 0) && trade.time < (query.toTime ?? Number.POSITIVE_INFINITY))
      .filter(
        (t) =>
          before === undefined || t.block < before.block || (t.block === before.block && t.ordinal < before.ordinal),
      )
      .sort((a, b) => b.block - a.block || b.ordinal - a.ordinal)
      .slice(0, query.limit);
  }

  candleBuckets(view: View, query: CandlesQuery): CandleRow[] {
    const buckets = new Map<number, TradeRow[]>();
    for (const trade of this.tradesPage(view, {
      token: query.token,
      pool: query.pool,
      limit: Number.POSITIVE_INFINITY,
    }).reverse()) {
      const start = bucketStart(query.interval, trade.time);
      if (start < query.fromTime || start >= query.toTime) continue;
      buckets.set(start, [...(buckets.get(start) ?? []), trade]);
    }
    const rows = [...buckets].map(([time, trades]) => naiveCandle(time, trades, query.token));
    return rows.sort((a, b) => a.time - b.time).slice(-query.limit);
  }

  stats(view: View, token: Hex, window: StatsWindow): WindowStats {
    const trades = this.tradesPage(view, { token, fromTime: window.fromTime, limit: Number.POSITIVE_INFINITY });
    const buys = trades.filter((trade) => boughtBy(trade, token));
    const sells = trades.filter((trade) => !boughtBy(trade, token));
    const wallets = (of: TradeRow[], counted: readonly Hex[] = []) =>
      new Set(of.map(({ wallet }) => wallet).filter((wallet) => !counted.includes(wallet))).size;
    return {
      ...naiveVolumes(trades),
      trades: trades.length,
      buys: buys.length,
      sells: sells.length,
      buyers: wallets(buys, window.countedBuyers),
      sellers: wallets(sells, window.countedSellers),
    };
  }

  price(view: View, token: Hex, beforeTime = Number.POSITIVE_INFINITY): PriceFact | null {
    const groups = this.visible(view).filter(({ time }) => time < beforeTime);
    const found = groups.flatMap(({ prices }) => prices).filter((price) => price.token === token);
    return found.at(-1) ?? null;
  }

  references(view: View, beforeTime = Number.POSITIVE_INFINITY): ReferencePrice[] {
    const sets = this.visible(view).filter(({ time, references }) => time < beforeTime && references.length > 0);
    return sets.at(-1)?.references ?? [];
  }

  endOfTime(): number {
    return bucketEnd('1M', bucketStart('1M', Math.max(...this.groups.map(({ time }) => time))));
  }
}

/** What a block undid is summed apart. */
export function naiveVolumes(trades: readonly TradeFact[]) {
  const stay = trades.filter(({ uncounted }) => uncounted !== 'reverted');
  const undone = trades.filter(({ uncounted }) => uncounted === 'reverted');
  return {
    volumeUsd: sum(stay.map(({ volumeUsd }) => volumeUsd)),
    volumeCoin: sum(stay.map(({ volumeCoin }) => volumeCoin)),
    loopVolumeUsd: sum(undone.map(({ volumeUsd }) => volumeUsd)),
  };
}

function naiveCandle(time: number, trades: TradeRow[], token: Hex): CandleRow {
  const prices = trades
    .filter((trade) => trade.base === token && trade.uncounted === null && trade.priceUsd !== null)
    .map(({ priceUsd }) => priceUsd!);
  const ascending = [...prices].sort((a, b) => (a < b ? -1 : 1));
  const buys = trades.filter((trade) => boughtBy(trade, token)).length;
  return {
    time,
    open: prices[0] ?? null,
    high: ascending.at(-1) ?? null,
    low: ascending[0] ?? null,
    close: prices.at(-1) ?? null,
    ...naiveVolumes(trades),
    trades: trades.length,
    buys,
    sells: trades.length - buys,
    closeBlock: Math.max(...trades.map(({ block }) => block)),
  };
}

function boughtBy(trade: TradeFact, token: Hex): boolean {
  return (trade.side === 'buy') === (trade.base === token);
}

function sum(values: (bigint | null)[]): bigint {
  return values.reduce<bigint>((total, value) => total + (value ?? 0n), 0n);
}
