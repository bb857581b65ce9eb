import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import type { KeyedFold } from '#libs/projections/keyed-fold.js';
import type { KeyBounds, KeyedRow } from '#libs/projections/keyed-form.js';
import type { PoolRecord, TokenRecord } from '#libs/protocol/blocks.js';
import type { ReferencePrice } from '#libs/protocol/facts.js';
import {
  type Above,
  allPoolAmounts,
  allPools,
  allSpots,
  allTokens,
  type KeyedName,
  type KeyRange,
  keyRanges,
  type PoolAmounts,
  type TimeSpan,
  type TokenSpot,
} from './all-rows.js';
import { allTokenStats, lastTradesOf, type PackedCounts, type TokenWallet } from './all-stats.js';
import { type BlockRow, blockAt, blockByTime } from './block-reads.js';
import { type CandleRow, type CandlesQuery, candleBuckets } from './candle-reads.js';
import { keyedRows } from './keyed-reads.js';
import type { MarketTables } from './market-tables.js';
import { type PriceRow, prices, referenceAt, references } from './price-reads.js';
import { type StatsWindow, tokenStats, type WindowStats } from './stats-reads.js';
import {
  knownTokens,
  type PoolRow,
  type PoolStateRow,
  poolStates,
  poolsOfToken,
  type TokenRow,
  tokens,
} from './token-reads.js';
import { type TradeRow, type TradesQuery, tradesPage } from './trade-reads.js';
import type { View } from './view.js';

/** Everything that is read of one chain and generation. Every read names its view; none keeps state. */
export class MarketReads {
  constructor(readonly tables: MarketTables) {}

  tradesPage(view: View, query: TradesQuery): Promise<TradeRow[]> {
    return tradesPage(this.tables, view, query);
  }

  candleBuckets(view: View, query: CandlesQuery): Promise<CandleRow[]> {
    return candleBuckets(this.tables, view, query);
  }

  async token(view: View, id: Hex): Promise<TokenRow | null> {
    return (await tokens(this.tables, view, [id]))[0] ?? null;
  }

  tokens(view: View, ids: readonly Hex[]): Promise<TokenRow[]> {
    return tokens(this.tables, view, ids);
  }

  knownTokens(view: View, limit: number): Promise<TokenRow[]> {
    return knownTokens(this.tables, view, limit);
  }

  poolsOfToken(view: View, id: Hex, limit?: number): Promise<PoolRow[]> {
    return poolsOfToken(this.tables, view, id, limit);
  }

  poolStates(view: View, pools: readonly Hex[]): Promise<Map<Hex, PoolStateRow>> {
    return poolStates(this.tables, view, pools);
  }

  async priceFact(view: View, id: Hex, beforeTime?: number): Promise<PriceRow | null> {
    return (await prices(this.tables, view, [id], beforeTime))[0] ?? null;
  }

  prices(view: View, ids: readonly Hex[], beforeTime?: number): Promise<PriceRow[]> {
    return prices(this.tables, view, ids, beforeTime);
  }

  references(view: View, beforeTime?: number): Promise<ReferencePrice[]> {
    return references(this.tables, view, beforeTime);
  }

  referenceAt(view: View, id: Hex, times: readonly number[]): Promise<(E36 | null)[]> {
    return referenceAt(this.tables, view, id, times);
  }

  tokenStats(view: View, id: Hex, windows: readonly StatsWindow[]): Promise<WindowStats[]> {
    return tokenStats(this.tables, view, id, windows);
  }

  keyedRows(view: View, keyed: KeyedFold, bounds: KeyBounds): Promise<KeyedRow[]> {
    return keyedRows(this.tables, view, keyed, bounds);
  }

  blockAt(view: View, height: number): Promise<BlockRow | null> {
    return blockAt(this.tables, view, height);
  }

  blockByTime(view: View, timeMs: number): Promise<BlockRow | null> {
    return blockByTime(this.tables, view, timeMs);
  }

  keyRanges(table: KeyedName, rowsPerRange: number): Promise<KeyRange[]> {
    return keyRanges(this.tables, table, rowsPerRange);
  }

  allTokens(view: View, above: Above | null, keys?: KeyRange): Promise<TokenRecord[]> {
    return allTokens(this.tables, view, above, keys);
  }

  allPools(view: View, above: Above | null, keys?: KeyRange): Promise<PoolRecord[]> {
    return allPools(this.tables, view, above, keys);
  }

  allPoolAmounts(view: View, above: Above | null, keys?: KeyRange): Promise<PoolAmounts[]> {
    return allPoolAmounts(this.tables, view, above, keys);
  }

  allSpots(view: View, of: Above | TimeSpan | null, keys?: KeyRange): Promise<TokenSpot[]> {
    return allSpots(this.tables, view, of, keys);
  }

  allTokenStats(view: View, fromTimes: readonly number[]): Promise<Map<Hex, PackedCounts>> {
    return allTokenStats(this.tables, view, fromTimes);
  }

  lastTradesOf(
    view: View,
    fromTime: number,
    wallets: readonly TokenWallet[],
  ): Promise<(TokenWallet & { time: number })[]> {
    return lastTradesOf(this.tables, view, fromTime, wallets);
  }
}
