import type { Hex } from '#libs/core/ids.js';
import { allKeyed, allPoolAmounts, allPools, allSpots, allSpotsWithin, allTokens, keyRanges } from './all-rows.js';
import { allTokenStats, changedTokenStats, lastTradesOf } from './all-stats.js';
import { blockAt, blockByTime } from './block-reads.js';
import { candleBuckets } from './candle-reads.js';
import { countedTrade, edgeTransfer, referenceBlock } from './explain-reads.js';
import { keyedRows } from './keyed-reads.js';
import type { MarketTables } from './market-tables.js';
import { newestTrades } from './newest-trades.js';
import { type PriceRow, prices, referenceAt, referenceAtTrades, referenceSpans, references } from './price-reads.js';
import { topProfits } from './profit-reads.js';
import { newestPrices, priceSteps, recentTrades, referenceSteps } from './recent-reads.js';
import { recentSums } from './recent-sums.js';
import { tokenStats } from './stats-reads.js';
import { knownTokens, poolRecords, poolStates, poolsOfTokens, type TokenRow, tokens } from './token-reads.js';
import { tradesPage } from './trade-reads.js';
import type { View } from './view.js';

/** Everything that is read of one chain and generation. Every read names its view; none keeps state. */
const reads = {
  ...{
    tradesPage,
    newestTrades,
    candleBuckets,
    knownTokens,
    tokens,
    poolsOfTokens,
    poolRecords,
    poolStates,
    prices,
    references,
    referenceAt,
    referenceSpans,
    referenceAtTrades,
  },
  ...{ tokenStats, keyedRows, blockAt, blockByTime, keyRanges, topProfits },
  ...{ countedTrade, edgeTransfer, referenceBlock },
  ...{ newestPrices, priceSteps, referenceSteps, recentTrades, recentSums },
  ...{ allKeyed, allTokens, allPools, allPoolAmounts, allSpots, allSpotsWithin },
  ...{ allTokenStats, changedTokenStats, lastTradesOf },
  token: async (tables: MarketTables, view: View, id: Hex): Promise<TokenRow | null> =>
    (await tokens(tables, view, [id]))[0] ?? null,
  priceFact: async (tables: MarketTables, view: View, id: Hex, beforeTime?: number): Promise<PriceRow | null> =>
    (await prices(tables, view, [id], beforeTime))[0] ?? null,
};

type OfTables<Read> = Read extends (tables: MarketTables, ...rest: infer Rest) => infer Answer
  ? (...rest: Rest) => Answer
  : never;

export type MarketReads = {
  readonly [Name in keyof typeof reads]: OfTables<(typeof reads)[Name]>;
};

/** The reads of these tables. */
export function marketReads(tables: MarketTables): MarketReads {
  type AnyRead = (tables: MarketTables, ...rest: unknown[]) => unknown;
  const bound = Object.entries(reads).map(([name, read]) => [name, (read as AnyRead).bind(null, tables)]);
  return Object.fromEntries(bound) as MarketReads;
}
