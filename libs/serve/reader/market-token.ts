import type { Hex } from '#libs/core/ids.js';
import type { E18, E36 } from '#libs/core/money.js';
import { type PriceLookup, type TokenValues, type TokenWorth, tokenUsd } from '#libs/pipeline/fold/token-values.js';
import type { WindowCounts } from '#libs/pipeline/store/market/all-stats.js';
import type { TokenRecord } from '#libs/protocol/blocks.js';
import type { LayeredMap } from './layered-map.js';
import type { MarketCounts } from './market-stats.js';
import { type StatsWindowName, statsWindows, type TokenWindow } from './read-stats.js';
import type { TokenOrigin } from './token-launch.js';
import type { TokenSupply } from './token-supply.js';

/** What the tokens of one market share: counts by token, and the prices where each window of `statsWindows` begins. */
export interface MarketPast {
  counts: LayeredMap<MarketCounts>;
  before: readonly PriceLookup[];
}

const names = Object.keys(statsWindows) as StatsWindowName[];
const NO_COUNTS: WindowCounts = { volumeUsd: 0n, loopVolumeUsd: 0n, trades: 0, buys: 0, buyers: 0, sellers: 0 };

/** One token of a market. Its statistics are computed when they are asked for: a list shows few of its tokens. */
export class MarketToken {
  /** Sum over its pools. */
  liquidityUsd: E18 | null = null;
  /** How many pools it is in. */
  poolCount = 0;
  private knownPrice: { usd: E36 | null } | null = null;
  private knownWorth: TokenWorth | null = null;

  constructor(
    readonly token: Hex,
    readonly record: TokenRecord,
    readonly supply: TokenSupply,
    readonly origin: TokenOrigin,
    private readonly values: TokenValues,
    /** 0 for the coin and the stables, then as PriceFact says; 4 without a price. */
    readonly level: number,
    private readonly past: MarketPast,
  ) {}

  get priceUsd(): E36 | null {
    this.knownPrice ??= { usd: this.values.usd(this.token) };
    return this.knownPrice.usd;
  }

  /** What could be taken out of it. */
  get worth(): TokenWorth {
    this.knownWorth ??= this.values.about(this.token);
    return this.knownWorth;
  }

  addPool(valueUsd: E18 | null): void {
    this.poolCount++;
    if (valueUsd !== null) this.liquidityUsd = (this.liquidityUsd ?? 0n) + valueUsd;
  }

  counts(window: StatsWindowName): WindowCounts {
    return this.past.counts.get(this.token)?.of(names.indexOf(window)) ?? NO_COUNTS;
  }

  /** USD price where the window begins; null when it had none. */
  priceBefore(window: StatsWindowName): E36 | null {
    return tokenUsd(this.past.before[names.indexOf(window)]!, this.token);
  }

  /** As `readStats` gives them. */
  get stats(): Record<StatsWindowName, TokenWindow> {
    const windows = names.map((name) => {
      const counts = this.counts(name);
      const window = { ...counts, sells: counts.trades - counts.buys };
      return [name, { ...window, priceBefore: this.priceBefore(name) }] as const;
    });
    return Object.fromEntries(windows) as Record<StatsWindowName, TokenWindow>;
  }
}
