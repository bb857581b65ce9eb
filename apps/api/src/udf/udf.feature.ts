import { Feature } from '../feature/feature.js';
import { MarketFeature } from '../market/market.feature.js';
import { UdfConfigRoute } from './udf-config.route.js';
import { UdfHistoryRoute } from './udf-history.route.js';
import { UdfSearchRoute } from './udf-search.route.js';
import { UdfSymbolsRoute } from './udf-symbols.route.js';
import { UdfTimeRoute } from './udf-time.route.js';

@Feature({
  imports: [MarketFeature],
  routes: [UdfConfigRoute, UdfSymbolsRoute, UdfSearchRoute, UdfHistoryRoute, UdfTimeRoute],
})
export class UdfFeature {}
