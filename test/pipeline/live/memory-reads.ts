import { byId } from '#libs/core/by-id.js';
import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import { bucketStart, CandleAccumulator, type TradeVolumes, volumesOf } from '#libs/pipeline/fold/candles.js';
import type { KeyedFold } from '#libs/pipeline/projections/keyed-fold.js';
import { type KeyBounds, type KeyedRow, withinBounds } from '#libs/pipeline/projections/keyed-form.js';
import type { CandleRow, CandlesQuery } from '#libs/pipeline/store/market/candle-reads.js';
import type { Rank } from '#libs/pipeline/store/market/keyed-reads.js';
import type { PriceRow, ReferenceQuery } from '#libs/pipeline/store/market/price-reads.js';
import type { MarketReads } from '#libs/pipeline/store/market/reads.js';
import type { NewestPrices, RecentTrade, ReferenceStep } from '#libs/pipeline/store/market/recent-reads.js';
import type { RecentSums } from '#libs/pipeline/store/market/recent-sums.js';
import type { StatsWindow, WindowStats } from '#libs/pipeline/store/market/stats-reads.js';
import type { PoolRow, PoolsOfToken, TokenRow } from '#libs/pipeline/store/market/token-reads.js';
import type { TradeRow, TradesQuery } from '#libs/pipeline/store/market/trade-reads.js';
import type { View } from '#libs/pipeline/store/market/view.js';
import type { FactsBlock, FactsGroup, FactsRetract, ReferencePrice, TradeFact } from '#libs/protocol/facts.js';
import { rowsIn } from '#libs/serve/reader/rows-in.js';
import { candleTrade } from '#libs/serve/reader/trade-side.js';
import { allProtections, MemoryChainTables, type MemoryRow, MemoryTables } from '../memory-tables.js';

interface FactsRow extends MemoryRow {
  facts: FactsBlock | FactsRetract;
}

type Batches = ReturnType<MemoryTables['encode']>;

/** Tables in memory that can be read as the combined reads do: besides its rows each keeps the groups they came from. */
export class FactsTables extends MemoryTables {
  override encode(groups: FactsGroup[]): Batches {
    const items = groups.flatMap((facts): FactsRow[] => {
      if (facts.kind !== 'block' && facts.kind !== 'retract') return [];
      return [{ seq: facts.seq, block: facts.height, time: facts.time, text: facts.kind, trade: null, facts }];
    });
    const batches = super.encode(groups);
    return items.length === 0 ? batches : [...batches, { table: 'facts', rows: items.length, items }];
  }

  /** Groups that a view sees, in the order of the log. */
  groups({ seq, retracted }: View): (FactsBlock | FactsRetract)[] {
    const seen = { seq, retracted: retracted.filter((range) => range.retractSeq <= seq) };
    const rows = this.visible('facts', seen as Parameters<MemoryTables['visible']>[1]) as FactsRow[];
    return rows.sort((a, b) => a.seq - b.seq).map(({ facts }) => facts);
  }
}

export class FactsChainTables extends MemoryChainTables {
  override generation(generation: number): FactsTables {
    return super.generation(generation) as FactsTables;
  }

  protected override make(generation: number): FactsTables {
    return new FactsTables(`md_g${generation}`, allProtections);
  }
}

/** Lets a read wait before it looks at the tables, or fail. */
export type ReadGate = (what: string) => Promise<void>;

type LiveReads = Pick<
  MarketReads,
  | ('tradesPage' | 'candleBuckets' | 'tokens' | 'references' | 'referenceAt' | 'referenceSpans' | 'referenceAtTrades')
  | ('prices' | 'poolsOfTokens' | 'poolRecords' | 'keyedRows' | 'tokenStats')
  | ('newestPrices' | 'priceSteps' | 'referenceSteps' | 'recentTrades' | 'recentSums')
>;

/** The reads that the live channels and their routes use, by going through all groups every time. There are no others. */
export class MemoryReads implements LiveReads {
  static of(facts: FactsTables, gate: ReadGate): MarketReads {
    return new MemoryReads(facts, gate) as unknown as MarketReads;
  }

  private constructor(
    private readonly facts: FactsTables,
    private readonly gate: ReadGate,
  ) {}

  async tradesPage(view: View, query: TradesQuery): Promise<TradeRow[]> {
    await this.gate('trades');
    const { before, fromTime = 0, toTime = Number.POSITIVE_INFINITY } = query;
    const found = this.blocks(view).flatMap((block) =>
      block.trades
        .filter((trade) => query.token === undefined || trade.base === query.token || trade.quote === query.token)
        .filter((trade) => query.wallet === undefined || trade.wallet === query.wallet)
        .map((trade) => ({ ...trade, seq: block.seq, block: block.height, time: block.time })),
    );
    return found
      .reverse()
      .filter(({ block, ordinal, time }) => {
        const isBefore =
          before === undefined || block < before.block || (block === before.block && ordinal < before.ordinal);
        return isBefore && time >= fromTime && time < toTime;
      })
      .slice(0, query.limit);
  }

  async candleBuckets(view: View, query: CandlesQuery): Promise<CandleRow[]> {
    await this.gate('candles');
    const buckets = new Map<number, { candle: CandleAccumulator; closeBlock: number }>();
    for (const block of this.blocks(view)) {
      const time = bucketStart(query.interval, block.time);
      if (time < query.fromTime || time >= query.toTime) continue;
      for (const trade of block.trades) {
        if (trade.base !== query.token && trade.quote !== query.token) continue;
        const bucket = buckets.get(time) ?? { candle: new CandleAccumulator(time), closeBlock: 0 };
        buckets.set(time, bucket);
        bucket.candle.add(candleTrade(trade, query.token));
        bucket.closeBlock = block.height;
      }
    }
    const rows = [...buckets.values()].map(({ candle, closeBlock }) => ({ ...candle.candle(), closeBlock }));
    return rows.slice(-query.limit);
  }

  async tokens(view: View, ids: readonly Hex[]): Promise<TokenRow[]> {
    await this.gate('tokens');
    const found = new Map<Hex, TokenRow>();
    for (const block of this.blocks(view)) {
      for (const record of block.tokens) {
        if (ids.includes(record.token))
          found.set(record.token, { ...record, seq: block.seq, block: block.height } as TokenRow);
      }
    }
    return [...found.values()];
  }

  async references(view: View, before = Number.POSITIVE_INFINITY): Promise<ReferencePrice[]> {
    await this.gate('references');
    const stated = this.facts.groups(view).filter(({ references, time }) => references.length > 0 && time < before);
    return stated.at(-1)?.references ?? [];
  }

  async prices(view: View, tokens: readonly Hex[], before = Number.POSITIVE_INFINITY): Promise<PriceRow[]> {
    await this.gate('prices');
    const newest = new Map<Hex, PriceRow>();
    for (const { seq, height: block, time, prices } of this.facts.groups(view)) {
      if (time >= before) continue;
      for (const price of prices)
        if (tokens.includes(price.token)) newest.set(price.token, { ...price, seq, block, time });
    }
    return [...newest.values()];
  }

  async poolsOfTokens(view: View, ids: readonly Hex[]): Promise<Map<Hex, PoolsOfToken>> {
    await this.gate('pools');
    return new Map(ids.map((id) => [id, { rows: this.poolsOf(view, id), more: false }]));
  }

  private poolsOf(view: View, id: Hex): PoolRow[] {
    const known = new Map<Hex, PoolRow>();
    for (const { seq, height: block, time, pools } of this.blocks(view)) {
      for (const pool of pools) {
        if (pool.token0 === id || pool.token1 === id) known.set(pool.pool, { ...pool, seq, block, time, state: null });
      }
    }
    for (const { seq, height: block, time, poolStates } of this.facts.groups(view)) {
      for (const state of poolStates) {
        const row = known.get(state.pool);
        if (row !== undefined) row.state = { ...state, seq, block, time };
      }
    }
    return [...known.values()];
  }

  async poolRecords(view: View, ids: readonly Hex[]): Promise<Omit<PoolRow, 'state'>[]> {
    await this.gate('pools');
    const named = this.blocks(view).flatMap(({ seq, height: block, time, pools }) =>
      pools.filter(({ pool }) => ids.includes(pool)).map((pool) => ({ ...pool, seq, block, time })),
    );
    return [...new Map(named.map((pool) => [pool.pool, pool])).values()];
  }

  async keyedRows(view: View, fold: KeyedFold, bounds: KeyBounds, rank?: Rank): Promise<KeyedRow[]> {
    await this.gate(fold.table);
    const newest = new Map<Hex, KeyedRow>();
    for (const facts of this.facts.groups(view)) {
      for (const row of rowsIn({ keyed: fold }, facts)) {
        if (withinBounds(row, bounds)) newest.set(fold.keyOf(row), row);
      }
    }
    const inKeyOrder = [...newest].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    if (rank === undefined) return inKeyOrder;
    const { by, less, limit, each } = rank;
    const rankOf = (row: KeyedRow): bigint => BigInt(row[by]!) - (less === undefined ? 0n : BigInt(row[less]!));
    const ranked = inKeyOrder.filter((row) => (less === undefined ? rankOf(row) > 0n : !fold.isNothing(row)));
    ranked.sort((a, b) => (rankOf(a) === rankOf(b) ? 0 : rankOf(a) > rankOf(b) ? -1 : 1));
    if (each === undefined) return ranked.slice(0, limit);
    return [...byId(ranked, (row) => row[each] as Hex).values()].flatMap((rows) => rows.slice(0, limit));
  }

  async tokenStats(view: View, token: Hex, windows: readonly StatsWindow[]): Promise<WindowStats[]> {
    await this.gate('stats');
    const placed = this.blocks(view).flatMap(({ time, trades }) =>
      trades.filter(({ base, quote }) => base === token || quote === token).map((trade) => ({ trade, time })),
    );
    return windows.map(({ fromTime, countedBuyers = [], countedSellers = [] }) => {
      const inside = placed.filter(({ time }) => time >= fromTime).map(({ trade }) => trade);
      const of = (side: 'buy' | 'sell') => inside.filter((trade) => candleTrade(trade, token).side === side);
      const others = (trades: readonly TradeFact[], counted: readonly Hex[]) =>
        new Set(trades.map(({ wallet }) => wallet).filter((wallet) => !counted.includes(wallet))).size;
      const [bought, sold] = [of('buy'), of('sell')];
      return {
        ...summed(inside.map(volumesOf)),
        ...{ trades: inside.length, buys: bought.length, sells: sold.length },
        ...{ buyers: others(bought, countedBuyers), sellers: others(sold, countedSellers) },
      };
    });
  }

  async referenceAt(view: View, token: Hex, times: readonly number[]): Promise<(E36 | null)[]> {
    await this.gate('references');
    const known = this.facts
      .groups(view)
      .filter(({ references }) => references.some((reference) => reference.token === token))
      .sort((a, b) => a.time - b.time || a.seq - b.seq);
    return times.map((time) => {
      const newest = known.findLast((group) => group.time < time);
      return newest?.references.find((reference) => reference.token === token)?.usd ?? null;
    });
  }

  async referenceSpans(view: View, { token, interval, fromTime, toTime }: ReferenceQuery) {
    await this.gate('references');
    const spans = new Map<number, { time: number; low: E36; high: E36 }>();
    for (const { time, references } of this.facts.groups(view)) {
      const usd = references.find((reference) => reference.token === token)?.usd ?? null;
      if (usd === null || time < fromTime || time >= toTime) continue;
      const start = bucketStart(interval, time);
      const span = spans.get(start) ?? { time: start, low: usd, high: usd };
      if (usd < span.low) span.low = usd;
      if (usd > span.high) span.high = usd;
      spans.set(start, span);
    }
    return [...spans.values()];
  }

  async referenceAtTrades(view: View, { token, interval, fromTime, toTime }: ReferenceQuery) {
    await this.gate('references');
    const buckets = new Map<number, CandleAccumulator>();
    let usd: E36 | null = null;
    for (const { time, references, ...facts } of this.facts.groups(view)) {
      usd = references.find((reference) => reference.token === token)?.usd ?? usd;
      const trades = 'trades' in facts ? facts.trades : [];
      const own = trades.find(({ base, quote }) => base === token || quote === token);
      if (own === undefined || time < fromTime || time >= toTime) continue;
      const start = bucketStart(interval, time);
      const bucket = buckets.get(start) ?? new CandleAccumulator(start);
      buckets.set(start, bucket);
      bucket.add(candleTrade(own, token, usd));
    }
    // Prices alone: the counts of these trades are not those of the bucket.
    return [...buckets.values()].map((bucket) => {
      const { time, open, high, low, close } = bucket.candle();
      return { time, open, high, low, close };
    });
  }

  async newestPrices(view: View, tokens: readonly Hex[]): Promise<NewestPrices> {
    const rows = await this.priceSteps(view, tokens, 0, Number.POSITIVE_INFINITY);
    return { rows, since: 0, most: Number.POSITIVE_INFINITY };
  }

  async priceSteps(view: View, tokens: readonly Hex[], fromTime: number, limit: number): Promise<PriceRow[]> {
    await this.gate('prices');
    const steps = this.facts
      .groups(view)
      .filter(({ time }) => time >= fromTime)
      .flatMap(({ seq, height: block, time, prices }) => prices.map((price) => ({ ...price, seq, block, time })));
    return tokens.flatMap((token) => steps.filter((step) => step.token === token).slice(0, limit));
  }

  async referenceSteps(view: View, fromTime: number, toTime: number): Promise<ReferenceStep[]> {
    await this.gate('references');
    const changed = this.facts.groups(view).filter(({ references }) => references.length > 0);
    return changed
      .filter(({ time }) => time >= fromTime && time < toTime)
      .map(({ time, references: prices }) => ({ time, prices }));
  }

  async recentTrades(view: View, tokens: readonly Hex[], fromTime: number, limit: number): Promise<RecentTrade[]> {
    await this.gate('stats');
    const recent = this.blocks(view).filter(({ time }) => time >= fromTime);
    return tokens.flatMap((token) =>
      recent
        .flatMap(({ time, trades }) =>
          trades
            .filter(({ base, quote }) => base === token || quote === token)
            .map((trade) => ({
              ...{ token, time, wallet: trade.wallet, bought: candleTrade(trade, token).side === 'buy' },
              ...volumesOf(trade),
            })),
        )
        .slice(0, limit),
    );
  }

  async recentSums(view: View, token: Hex, fromTime: number, limit: number): Promise<RecentSums> {
    const all = await this.recentTrades(view, [token], fromTime, Number.POSITIVE_INFINITY);
    const lastOf = (trades: readonly RecentTrade[]): number | null => trades.at(-1)?.time ?? null;
    const times = [...byId(all, ({ time }) => String(time)).values()].map((trades) => ({
      time: trades[0]!.time,
      ...summed(trades),
      ...{ trades: trades.length, buys: trades.filter(({ bought }) => bought).length },
    }));
    const wallets = [...byId(all, ({ wallet }) => wallet)].map(([wallet, trades]) => ({
      ...{ wallet, bought: lastOf(trades.filter(({ bought }) => bought)) },
      sold: lastOf(trades.filter(({ bought }) => !bought)),
    }));
    return { times: times.slice(0, limit), wallets: wallets.slice(0, limit) };
  }

  private blocks(view: View): FactsBlock[] {
    return this.facts.groups(view).filter((group): group is FactsBlock => group.kind === 'block');
  }
}

const summed = (of: readonly TradeVolumes[]): TradeVolumes => ({
  volumeUsd: of.reduce((sum, { volumeUsd }) => sum + volumeUsd, 0n),
  volumeCoin: of.reduce((sum, { volumeCoin }) => sum + volumeCoin, 0n),
  loopVolumeUsd: of.reduce((sum, { loopVolumeUsd }) => sum + loopVolumeUsd, 0n),
});
