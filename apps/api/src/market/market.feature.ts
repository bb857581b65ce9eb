import { Feature } from '../feature/feature.js';
import { LaunchpadChannel } from './launchpad.channel.js';
import { LaunchpadRoute } from './launchpad.route.js';
import { MarketLists } from './market-lists.js';
import { ScreenerRoute } from './screener.route.js';
import { SearchRoute } from './search.route.js';
import { TrendingChannel } from './trending.channel.js';
import { TrendingRoute } from './trending.route.js';

@Feature({
  routes: [ScreenerRoute, TrendingRoute, SearchRoute, LaunchpadRoute],
  channels: [TrendingChannel, LaunchpadChannel],
  providers: [MarketLists],
  shared: [MarketLists],
})
export class MarketFeature {}
