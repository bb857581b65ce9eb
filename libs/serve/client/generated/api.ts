// Made from the declarations of routes and channels by `npm run documents`: not to be edited.
import type { AccountUsageAnswer } from '#libs/serve/contract/rest/account-body.js';
import type { AccountUsageQuery } from '#libs/serve/contract/rest/account-body.js';
import type { AddFrame } from '#libs/serve/contract/live/launchpad.js';
import type { BalancesFrame } from '#libs/serve/contract/live/wallet.js';
import type { BoardAnswer } from '#libs/serve/contract/rest/launchpad-body.js';
import type { BoardPath } from '#libs/serve/contract/rest/launchpad-body.js';
import type { BoardQuery } from '#libs/serve/contract/rest/launchpad-body.js';
import type { CandlesAnswer } from '#libs/serve/contract/rest/candle-body.js';
import type { CandlesFrame } from '#libs/serve/contract/live/frames.js';
import type { CandlesParams } from '#libs/serve/contract/live/params.js';
import type { CandlesQuery } from '#libs/serve/contract/rest/queries.js';
import type { CandlesSnapshotFrame } from '#libs/serve/contract/live/frames.js';
import type { ChainsAnswer } from '#libs/serve/contract/rest/chain-body.js';
import type { HealthBody } from '#libs/serve/contract/rest/health-body.js';
import type { HoldersAnswer } from '#libs/serve/contract/rest/holder-body.js';
import type { HoldersFrame } from '#libs/serve/contract/live/holders.js';
import type { HoldersParams } from '#libs/serve/contract/live/params.js';
import type { HoldersQuery } from '#libs/serve/contract/rest/holder-body.js';
import type { HoldersSnapshotFrame } from '#libs/serve/contract/live/holders.js';
import type { HoldingsAnswer } from '#libs/serve/contract/rest/holder-body.js';
import type { LaunchpadParams } from '#libs/serve/contract/live/params.js';
import type { LaunchpadSnapshotFrame } from '#libs/serve/contract/live/launchpad.js';
import type { PairFrame } from '#libs/serve/contract/live/pairs.js';
import type { PairsParams } from '#libs/serve/contract/live/params.js';
import type { PairsSnapshotFrame } from '#libs/serve/contract/live/pairs.js';
import type { PoolAnswer } from '#libs/serve/contract/rest/pool-body.js';
import type { PoolPath } from '#libs/serve/contract/rest/pool-body.js';
import type { PositionsAnswer } from '#libs/serve/contract/rest/profit-body.js';
import type { PositionsQuery } from '#libs/serve/contract/rest/profit-queries.js';
import type { PricesAnswer } from '#libs/serve/contract/rest/token-list-body.js';
import type { PricesFrame } from '#libs/serve/contract/live/prices.js';
import type { PricesParams } from '#libs/serve/contract/live/params.js';
import type { PricesQuery } from '#libs/serve/contract/rest/token-list-body.js';
import type { PricesSnapshotFrame } from '#libs/serve/contract/live/prices.js';
import type { ReadyBody } from '#libs/serve/contract/rest/health-body.js';
import type { RemoveFrame } from '#libs/serve/contract/live/launchpad.js';
import type { RetractFrame } from '#libs/serve/contract/live/frames.js';
import type { ScreenerAnswer } from '#libs/serve/contract/rest/screener-body.js';
import type { ScreenerQuery } from '#libs/serve/contract/rest/market-queries.js';
import type { SearchAnswer } from '#libs/serve/contract/rest/search-body.js';
import type { SearchQuery } from '#libs/serve/contract/rest/market-queries.js';
import type { StatusAnswer } from '#libs/serve/contract/rest/status-body.js';
import type { TagsFrame } from '#libs/serve/contract/live/frames.js';
import type { TokenAnswer } from '#libs/serve/contract/rest/token-body.js';
import type { TokenFrame } from '#libs/serve/contract/live/token.js';
import type { TokenParams } from '#libs/serve/contract/live/params.js';
import type { TokenPath } from '#libs/serve/contract/rest/path-parameters.js';
import type { TokenQuery } from '#libs/serve/contract/rest/queries.js';
import type { TokenSnapshotFrame } from '#libs/serve/contract/live/token.js';
import type { TokensAnswer } from '#libs/serve/contract/rest/token-list-body.js';
import type { TokensQuery } from '#libs/serve/contract/rest/token-list-body.js';
import type { TopWalletsAnswer } from '#libs/serve/contract/rest/profit-body.js';
import type { TopWalletsQuery } from '#libs/serve/contract/rest/profit-queries.js';
import type { TradersAnswer } from '#libs/serve/contract/rest/profit-body.js';
import type { TradersFrame } from '#libs/serve/contract/live/traders.js';
import type { TradersParams } from '#libs/serve/contract/live/params.js';
import type { TradersQuery } from '#libs/serve/contract/rest/profit-queries.js';
import type { TradersSnapshotFrame } from '#libs/serve/contract/live/traders.js';
import type { TradesAnswer } from '#libs/serve/contract/rest/trade-body.js';
import type { TradesFrame } from '#libs/serve/contract/live/frames.js';
import type { TradesParams } from '#libs/serve/contract/live/params.js';
import type { TradesQuery } from '#libs/serve/contract/rest/queries.js';
import type { TradesSnapshotFrame } from '#libs/serve/contract/live/frames.js';
import type { TrendingAnswer } from '#libs/serve/contract/rest/screener-body.js';
import type { TrendingFrame } from '#libs/serve/contract/live/trending.js';
import type { TrendingParams } from '#libs/serve/contract/live/params.js';
import type { TrendingQuery } from '#libs/serve/contract/rest/market-queries.js';
import type { TrendingSnapshotFrame } from '#libs/serve/contract/live/trending.js';
import type { UdfConfigAnswer } from '#libs/serve/contract/rest/udf-body.js';
import type { UdfHistoryAnswer } from '#libs/serve/contract/rest/udf-body.js';
import type { UdfHistoryQuery } from '#libs/serve/contract/rest/udf-body.js';
import type { UdfSymbol } from '#libs/serve/contract/rest/udf-body.js';
import type { UdfSymbolQuery } from '#libs/serve/contract/rest/udf-body.js';
import type { VenuePath } from '#libs/serve/contract/rest/venue-body.js';
import type { VenueVolumeAnswer } from '#libs/serve/contract/rest/venue-body.js';
import type { VenueVolumeQuery } from '#libs/serve/contract/rest/venue-body.js';
import type { WalletParams } from '#libs/serve/contract/live/params.js';
import type { WalletPath } from '#libs/serve/contract/rest/path-parameters.js';
import type { WalletProfitAnswer } from '#libs/serve/contract/rest/profit-body.js';
import type { WalletProfitQuery } from '#libs/serve/contract/rest/profit-queries.js';
import type { WalletSnapshotFrame } from '#libs/serve/contract/live/wallet.js';
import type { WalletTagsFrame } from '#libs/serve/contract/live/wallet.js';
import type { WalletTradesFrame } from '#libs/serve/contract/live/wallet.js';
import type { WalletTradesQuery } from '#libs/serve/contract/rest/queries.js';

/** Parameters and answer of every route that answers JSON, by the name of its operation. */
export interface ApiRoutes {
  getHealth: { path: object; query: object; answer: HealthBody };
  getReady: { path: object; query: object; answer: ReadyBody };
  getChains: { path: object; query: object; answer: ChainsAnswer };
  getStatus: { path: object; query: object; answer: StatusAnswer };
  getScreener: { path: object; query: ScreenerQuery; answer: ScreenerAnswer };
  getTrending: { path: object; query: TrendingQuery; answer: TrendingAnswer };
  searchTokens: { path: object; query: SearchQuery; answer: SearchAnswer };
  getLaunchpadBoard: { path: BoardPath; query: BoardQuery; answer: BoardAnswer };
  getToken: { path: TokenPath; query: TokenQuery; answer: TokenAnswer };
  getTokens: { path: object; query: TokensQuery; answer: TokensAnswer };
  getPrices: { path: object; query: PricesQuery; answer: PricesAnswer };
  getTokenTrades: { path: TokenPath; query: TradesQuery; answer: TradesAnswer };
  getTokenCandles: { path: TokenPath; query: CandlesQuery; answer: CandlesAnswer };
  getUdfConfig: { path: object; query: object; answer: UdfConfigAnswer };
  getUdfSymbol: { path: object; query: UdfSymbolQuery; answer: UdfSymbol };
  getUdfHistory: { path: object; query: UdfHistoryQuery; answer: UdfHistoryAnswer };
  getPool: { path: PoolPath; query: object; answer: PoolAnswer };
  getTokenHolders: { path: TokenPath; query: HoldersQuery; answer: HoldersAnswer };
  getTokenPositions: { path: TokenPath; query: PositionsQuery; answer: PositionsAnswer };
  getTokenTraders: { path: TokenPath; query: TradersQuery; answer: TradersAnswer };
  getTopWallets: { path: object; query: TopWalletsQuery; answer: TopWalletsAnswer };
  getWalletHoldings: { path: WalletPath; query: HoldersQuery; answer: HoldingsAnswer };
  getWalletPnl: { path: WalletPath; query: WalletProfitQuery; answer: WalletProfitAnswer };
  getWalletTrades: { path: WalletPath; query: WalletTradesQuery; answer: TradesAnswer };
  getVenueVolume: { path: VenuePath; query: VenueVolumeQuery; answer: VenueVolumeAnswer };
  getAccountUsage: { path: object; query: AccountUsageQuery; answer: AccountUsageAnswer };
}

export const apiPaths: Readonly<Record<keyof ApiRoutes, string>> = {
  getHealth: '/health',
  getReady: '/ready',
  getChains: '/chains',
  getStatus: '/status',
  getScreener: '/screener',
  getTrending: '/trending',
  searchTokens: '/search',
  getLaunchpadBoard: '/launchpad/:board',
  getToken: '/tokens/:chain/:address',
  getTokens: '/tokens',
  getPrices: '/prices',
  getTokenTrades: '/tokens/:chain/:address/trades',
  getTokenCandles: '/tokens/:chain/:address/candles',
  getUdfConfig: '/udf/config',
  getUdfSymbol: '/udf/symbols',
  getUdfHistory: '/udf/history',
  getPool: '/pools/:chain/:address',
  getTokenHolders: '/tokens/:chain/:address/holders',
  getTokenPositions: '/tokens/:chain/:address/positions',
  getTokenTraders: '/tokens/:chain/:address/traders',
  getTopWallets: '/wallets/top',
  getWalletHoldings: '/wallets/:chain/:address/holdings',
  getWalletPnl: '/wallets/:chain/:address/pnl',
  getWalletTrades: '/wallets/:chain/:address/trades',
  getVenueVolume: '/venues/:chain/volume',
  getAccountUsage: '/account/usage',
};

/** Parameters and frames with rows of every live channel. */
export interface LiveChannels {
  trending: { parameters: TrendingParams; frames: { snapshot: TrendingSnapshotFrame; trending: TrendingFrame } };
  launchpad: { parameters: LaunchpadParams; frames: { snapshot: LaunchpadSnapshotFrame; add: AddFrame; remove: RemoveFrame } };
  token: { parameters: TokenParams; frames: { snapshot: TokenSnapshotFrame; token: TokenFrame } };
  prices: { parameters: PricesParams; frames: { snapshot: PricesSnapshotFrame; prices: PricesFrame } };
  trades: { parameters: TradesParams; frames: { snapshot: TradesSnapshotFrame; trades: TradesFrame; retract: RetractFrame; tags: TagsFrame } };
  candles: { parameters: CandlesParams; frames: { snapshot: CandlesSnapshotFrame; candles: CandlesFrame } };
  holders: { parameters: HoldersParams; frames: { snapshot: HoldersSnapshotFrame; holders: HoldersFrame } };
  traders: { parameters: TradersParams; frames: { snapshot: TradersSnapshotFrame; traders: TradersFrame } };
  wallet: { parameters: WalletParams; frames: { snapshot: WalletSnapshotFrame; trades: WalletTradesFrame; balances: BalancesFrame; tags: WalletTagsFrame } };
  pairs: { parameters: PairsParams; frames: { snapshot: PairsSnapshotFrame; pair: PairFrame } };
}

/** Types of the frames with rows, by channel. */
export const liveFrames: Readonly<Record<keyof LiveChannels, readonly string[]>> = {
  trending: ['snapshot', 'trending'],
  launchpad: ['snapshot', 'add', 'remove'],
  token: ['snapshot', 'token'],
  prices: ['snapshot', 'prices'],
  trades: ['snapshot', 'trades', 'retract', 'tags'],
  candles: ['snapshot', 'candles'],
  holders: ['snapshot', 'holders'],
  traders: ['snapshot', 'traders'],
  wallet: ['snapshot', 'trades', 'balances', 'tags'],
  pairs: ['snapshot', 'pair'],
};

/** Those of them whose data is one object, or null, and no list. */
export const liveObjects: Readonly<Record<keyof LiveChannels, readonly string[]>> = {
  trending: [],
  launchpad: [],
  token: ['snapshot', 'token'],
  prices: [],
  trades: [],
  candles: [],
  holders: [],
  traders: [],
  wallet: [],
  pairs: [],
};
