import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { type E36, ONE_E36 } from '#libs/core/money.js';
import { backingOfPrice } from '#libs/pipeline/fold/backing.js';
import { bucketStart, type Candle, type Interval } from '#libs/pipeline/fold/candles.js';
import { TokenValues } from '#libs/pipeline/fold/token-values.js';
import type { PoolRecord, TokenRecord } from '#libs/protocol/blocks.js';
import type { FactsBlock, FactsGroup, TradeFact } from '#libs/protocol/facts.js';
import type { PlacedTrade } from '#libs/serve/reader/read-trades.js';

/** The market as a person would work it out from the surviving blocks alone, by going through all of them every time. */
export class NaiveMarket {
  readonly blocks: FactsBlock[];
  /** Whether these are the blocks of the chain from its first one on. */
  readonly fromBeginning: boolean;

  constructor(
    readonly chain: ChainSpec,
    facts: readonly FactsGroup[],
    seq: number,
    asOfBlock = Number.POSITIVE_INFINITY,
  ) {
    this.fromBeginning = facts[0]?.kind === 'epoch' && facts[0].reference.startHeight <= 1;
    let alive: FactsBlock[] = [];
    for (const group of facts) {
      if (group.seq > seq) break;
      if (group.kind === 'block') alive.push(group);
      else if (group.kind === 'retract') alive = alive.filter((block) => block.height <= group.height);
    }
    this.blocks = alive.filter((block) => block.height <= asOfBlock);
  }

  get head(): FactsBlock {
    return this.blocks[this.blocks.length - 1]!;
  }

  /** Newest first. */
  trades(token: Hex): PlacedTrade[] {
    const all = this.blocks.flatMap((block) =>
      block.trades
        .filter((trade) => trade.base === token || trade.quote === token)
        .map((trade) => ({ ...trade, block: block.height, time: block.time })),
    );
    return all.reverse();
  }

  candles(token: Hex, interval: Interval, pool?: Hex): Candle[] {
    const buckets = new Map<number, PlacedTrade[]>();
    const stable = pool === undefined && this.chain.stables.some((known) => known.token === token);
    for (const trade of this.trades(token).reverse()) {
      if (pool !== undefined && trade.pool !== pool) continue;
      const start = bucketStart(interval, trade.time);
      buckets.set(start, [...(buckets.get(start) ?? []), trade]);
    }
    return [...buckets].map(([time, trades]) => {
      const prices = stable
        ? trades.map((trade) => this.statedBy(token, trade.block))
        : trades.flatMap((trade) =>
            trade.base === token && trade.uncounted === null && trade.priceUsd !== null ? [trade.priceUsd] : [],
          );
      const bought = trades.filter((trade) => (trade.side === 'buy') === (trade.base === token));
      return {
        time,
        open: prices[0] ?? null,
        high: prices.reduce<E36 | null>((most, price) => (most === null || price > most ? price : most), null),
        low: prices.reduce<E36 | null>((least, price) => (least === null || price < least ? price : least), null),
        close: prices[prices.length - 1] ?? null,
        volumeUsd: sumOf(trades.filter(stands), 'volumeUsd'),
        volumeCoin: sumOf(trades.filter(stands), 'volumeCoin'),
        loopVolumeUsd: sumOf(trades.filter(isUndone), 'volumeUsd'),
        trades: trades.length,
        buys: bought.length,
        sells: trades.length - bought.length,
      };
    });
  }

  price(token: Hex, before = Number.POSITIVE_INFINITY): E36 | null {
    return this.values(before).usd(token);
  }

  /** What tokens are worth, as the last block before a time left them. */
  values(before = Number.POSITIVE_INFINITY): TokenValues {
    const blocks = this.blocks.filter((block) => block.time < before);
    const references = blocks.findLast((block) => block.references.length > 0)?.references ?? this.firstReferences();
    return new TokenValues({
      reference: (id) => references.find((reference) => reference.token === id)?.usd,
      backing: (id) => {
        const fact = blocks.flatMap((block) => block.prices).findLast((price) => price.token === id);
        return fact === undefined ? null : backingOfPrice(fact);
      },
    });
  }

  /** A chain begins with stables at one dollar and a coin without a price. */
  private firstReferences(): { token: Hex; usd: E36 | null }[] {
    const { wrappedNative, stables } = this.chain;
    return [{ token: wrappedNative.token, usd: null }, ...stables.map(({ token }) => ({ token, usd: ONE_E36 }))];
  }

  /** What a stable is worth at the end of a block. */
  private statedBy(token: Hex, height: number): E36 {
    const block = this.blocks.findLast((known) => known.height <= height && known.references.length > 0);
    return block?.references.find((reference) => reference.token === token)?.usd ?? ONE_E36;
  }

  reference(token: Hex, before: number): E36 | null {
    const block = this.blocks.findLast(({ time, references }) => time < before && references.length > 0);
    return block?.references.find((reference) => reference.token === token)?.usd ?? null;
  }

  tokens(): TokenRecord[] {
    const known = new Map<Hex, TokenRecord>();
    for (const block of this.blocks) for (const record of block.tokens) known.set(record.token, record);
    return [...known.values()];
  }

  poolsOf(token: Hex): Map<Hex, { pool: PoolRecord; reserve0: bigint | null; reserve1: bigint | null }> {
    const pools = new Map<Hex, { pool: PoolRecord; reserve0: bigint | null; reserve1: bigint | null }>();
    for (const block of this.blocks) {
      for (const pool of block.pools) {
        if (pool.token0 === token || pool.token1 === token) {
          pools.set(pool.pool, { reserve0: null, reserve1: null, ...pools.get(pool.pool), pool });
        }
      }
      for (const { pool, reserve0, reserve1 } of block.poolStates) {
        const known = pools.get(pool);
        if (known !== undefined) pools.set(pool, { ...known, reserve0, reserve1 });
      }
    }
    return pools;
  }

  window(token: Hex, ms: number) {
    const after = this.head.time - ms;
    const trades = this.trades(token).filter((trade) => trade.time > after);
    const buys = trades.filter((trade) => (trade.side === 'buy') === (trade.base === token));
    const sells = trades.filter((trade) => !buys.includes(trade));
    return {
      volumeUsd: sumOf(trades.filter(stands), 'volumeUsd'),
      loopVolumeUsd: sumOf(trades.filter(isUndone), 'volumeUsd'),
      trades: trades.length,
      buys: buys.length,
      sells: sells.length,
      buyers: new Set(buys.map((trade) => trade.wallet)).size,
      sellers: new Set(sells.map((trade) => trade.wallet)).size,
      priceBefore: this.price(token, after + 1),
    };
  }
}

const isUndone = ({ uncounted }: TradeFact): boolean => uncounted === 'reverted';
const stands = (trade: TradeFact): boolean => !isUndone(trade);
const sumOf = (trades: readonly TradeFact[], of: 'volumeUsd' | 'volumeCoin'): bigint =>
  trades.reduce((sum, trade) => sum + (trade[of] ?? 0n), 0n);
