import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import { bucketStart, CandleAccumulator } from '#libs/fold/candles.js';
import type { FactsBlock, FactsGroup, FactsRetract, ReferencePrice } from '#libs/protocol/facts.js';
import { candleTrade } from '#libs/reader/trade-side.js';
import type { CandleRow, CandlesQuery } from '#libs/store/market/candle-reads.js';
import type { MarketReads } from '#libs/store/market/reads.js';
import type { TokenRow } from '#libs/store/market/token-reads.js';
import type { TradeRow, TradesQuery } from '#libs/store/market/trade-reads.js';
import type { View } from '#libs/store/market/view.js';
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

type LiveReads = Pick<MarketReads, 'tradesPage' | 'candleBuckets' | 'tokens' | 'references' | 'referenceAt'>;

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
        .filter((trade) => trade.base === query.token || trade.quote === query.token)
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

  async references(view: View): Promise<ReferencePrice[]> {
    await this.gate('references');
    return this.facts.groups(view).findLast((group) => group.references.length > 0)?.references ?? [];
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

  private blocks(view: View): FactsBlock[] {
    return this.facts.groups(view).filter((group): group is FactsBlock => group.kind === 'block');
  }
}
