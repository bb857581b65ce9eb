import type { LocalSlug, MarketPlan } from '../market-plan.js';
import { baseMarket } from './base.js';
import { bscMarket } from './bsc.js';
import { chaindMarket } from './chaind.js';
import { ethMarket } from './eth.js';

/** Every chain that can be run locally. */
export const MARKETS: Readonly<Record<LocalSlug, MarketPlan>> = {
  eth: ethMarket,
  bsc: bscMarket,
  base: baseMarket,
  chaind: chaindMarket,
};
