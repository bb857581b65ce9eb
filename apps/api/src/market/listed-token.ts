import type { Hex } from '#libs/core/ids.js';
import { marketCap } from '#libs/pipeline/fold/price-rule.js';
import { backedCap } from '#libs/pipeline/fold/token-values.js';
import type { ScreenerRow } from '#libs/serve/contract/rest/screener-body.js';
import type { MarketToken } from '#libs/serve/reader/market-token.js';
import type { Market } from '#libs/serve/reader/read-market.js';
import type { StatsWindowName } from '#libs/serve/reader/read-stats.js';
import { priceNumber, volumeNumber } from '../rows/display.js';
import { searchRow } from '../rows/search-row.js';
import { changePercent, statsRow } from '../rows/stats-row.js';

/** Volume beyond so many times what could be taken out counts for no score, nor do wallets with less exit than this for each. */
const MOST_TURNOVER = 20;
const LEAST_EXIT_OF_A_TRADER = 10;

/**
 * One token of a list: what it is ordered and filtered by, so that a client finds every order and bound confirmed by the
 * numbers of the rows. What no projection measures yet is null.
 */
export class ListedToken {
  constructor(
    readonly market: Market,
    readonly listed: MarketToken,
  ) {}

  get token(): Hex {
    return this.listed.token;
  }

  get chain(): string {
    return this.market.view.chain.slug;
  }

  get priceUsd(): number | null {
    return priceNumber(this.listed.priceUsd);
  }

  get liquidityUsd(): number | null {
    return volumeNumber(this.listed.liquidityUsd);
  }

  /** Null where it is not known, and for the coin and the stablecoins. */
  get exitUsd(): number | null {
    return volumeNumber(this.listed.worth.exitUsd);
  }

  get marketCapUsd(): number | null {
    const { priceUsd, supply, record, worth } = this.listed;
    return volumeNumber(backedCap(marketCap(priceUsd, supply.circulating, record.decimals), worth));
  }

  get holders(): number | null {
    return this.listed.supply.holders;
  }

  get createdAt(): number | null {
    return this.listed.origin.createdAt;
  }

  get creator(): Hex | null {
    return this.listed.origin.creator;
  }

  get launchpad(): string | null {
    return this.listed.origin.launchpad?.name ?? null;
  }

  /** Seconds of block time since the creation. */
  get ageSeconds(): number | null {
    return this.createdAt === null ? null : (this.market.view.head.time - this.createdAt) / 1000;
  }

  /** Whether who bought can sell, where that was shown. */
  get sellable(): boolean | null {
    return this.market.view.about.risksOf(this.token)?.sellable ?? null;
  }

  volumeUsd(window: StatsWindowName): number {
    const { volumeUsd } = this.listed.counts(window);
    return volumeUsd === 0n ? 0 : volumeNumber(volumeUsd)!;
  }

  trades(window: StatsWindowName): number {
    return this.listed.counts(window).trades;
  }

  priceChange(window: StatsWindowName): number | null {
    return changePercent(this.listed.priceBefore(window), this.listed.priceUsd);
  }

  score(window: StatsWindowName): number {
    const { buyers, sellers, trades, volumeUsd } = this.listed.counts(window);
    if (trades === 0) return 0;
    const exit = this.exitUsd ?? Number.POSITIVE_INFINITY;
    const volume = Math.min(volumeNumber(volumeUsd)!, exit * MOST_TURNOVER);
    return Math.log1p(volume) * Math.log1p(Math.min(buyers + sellers, exit / LEAST_EXIT_OF_A_TRADER));
  }

  screenerRow(window: StatsWindowName): ScreenerRow {
    const { listed, market } = this;
    return {
      ...searchRow(market.view, listed.token, listed),
      stats: statsRow(listed.stats, listed.priceUsd),
      score: this.score(window),
    };
  }
}

export function* listedIn(markets: readonly Market[]): Generator<ListedToken> {
  for (const market of markets) for (const listed of market.tokens.values()) yield new ListedToken(market, listed);
}

/** The deeper one first, then by chain and address: a total order, the same at every instance. */
export function byDepth(a: ListedToken, b: ListedToken): number {
  return descending(a.listed.liquidityUsd, b.listed.liquidityUsd) || byName(a, b);
}

/** What is not known comes last. */
export function descending<Value extends number | bigint>(a: Value | null, b: Value | null): number {
  if (a === b) return 0;
  if (a === null) return 1;
  return b === null || a > b ? -1 : 1;
}

export function ascending<Value extends number | bigint>(a: Value | null, b: Value | null): number {
  if (a === b) return 0;
  if (a === null) return 1;
  return b === null || a < b ? -1 : 1;
}

function byName(a: ListedToken, b: ListedToken): number {
  if (a.chain !== b.chain) return a.chain < b.chain ? -1 : 1;
  return a.token < b.token ? -1 : 1;
}
