import type { LocalSlug, MarketPlan } from '../market-plan.js';
import { baseMarket } from './base.js';
import { chaindMarket } from './chaind.js';
import { ethMarket } from './eth.js';

/** Every chain that can be run locally. */
export const MARKETS: Readonly<Record<LocalSlug, MarketPlan>> = {
  eth: ethMarket,
  base: baseMarket,
  chaind: chaindMarket,
};
