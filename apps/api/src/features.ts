import type { FeatureClass } from '#libs/serve/http/route-feature.js';
import { AccountFeature } from './account/account.feature.js';
import { CandlesFeature } from './candles/candles.feature.js';
import { DocumentsFeature } from './documents/documents.feature.js';
import { HoldersFeature } from './holders/holders.feature.js';
import { LiveFeature } from './live/live.feature.js';
import { MarketFeature } from './market/market.feature.js';
import { MediaFeature } from './media/media.feature.js';
import { PairsFeature } from './pairs/pairs.feature.js';
import { PoolsFeature } from './pools/pools.feature.js';
import { PositionsFeature } from './positions/positions.feature.js';
import { StatusFeature } from './status/status.feature.js';
import { TokensFeature } from './tokens/tokens.feature.js';
import { TradesFeature } from './trades/trades.feature.js';
import { UdfFeature } from './udf/udf.feature.js';
import { VenuesFeature } from './venues/venues.feature.js';
import { WalletsFeature } from './wallets/wallets.feature.js';

/** Every feature of the market-data API, in the order in which documents list them: one line a feature. */
export const features: readonly FeatureClass[] = [
  StatusFeature,
  DocumentsFeature,
  MarketFeature,
  TokensFeature,
  TradesFeature,
  CandlesFeature,
  UdfFeature,
  PoolsFeature,
  MediaFeature,
  HoldersFeature,
  PositionsFeature,
  WalletsFeature,
  VenuesFeature,
  PairsFeature,
  LiveFeature,
  AccountFeature,
];
