import { Feature } from '../feature/feature.js';
import { MarketLists } from './market-lists.js';
import { ScreenerRoute } from './screener.route.js';
import { SearchRoute } from './search.route.js';

@Feature({ routes: [ScreenerRoute, SearchRoute], providers: [MarketLists] })
export class MarketFeature {}
