import type { MarketPlan } from '../market-plan.js';
import { baseMarket } from './base.js';
import { bscMarket } from './bsc.js';
import { chaindMarket } from './chaind.js';
import { ethMarket } from './eth.js';

/** Every chain that can be run locally: one line a chain. */
export const MARKETS = {
  eth: ethMarket,
  bsc: bscMarket,
  base: baseMarket,
  chaind: chaindMarket,
} as const satisfies Readonly<Record<string, MarketPlan>>;

export type LocalSlug = keyof typeof MARKETS;
