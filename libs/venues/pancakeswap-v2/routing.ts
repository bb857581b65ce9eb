import type { VenueRouting } from '#libs/market-ports/evm/venue-routing.js';

/** PancakeSwap V2 through its router. Nobody has proven the code: it is served once the operator has pinned it. */
export const pancakeswapV2Routing: VenueRouting = {
  routerAbi: 'v2-router02',
  routerFactoryGetter: 'factory',
  routerWrappedNativeGetter: 'WETH',
  fee: { numerator: 9975, denominator: 10000 },
  code: { factory: null, router: null },
};
