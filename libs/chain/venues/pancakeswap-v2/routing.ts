import { v2Router02 } from '#libs/chain/market-ports/evm/v2-pair/v2-router02.js';
import type { VenueRouting } from '#libs/chain/market-ports/evm/venue-routing.js';

/** PancakeSwap V2 through its router. The code is not proven: it is served once the operator has pinned it. */
export const pancakeswapV2Routing: VenueRouting = {
  swaps: v2Router02,
  routerAbi: 'v2-router02',
  routerFactoryGetter: 'factory',
  routerWrappedNativeGetter: 'WETH',
  fee: { numerator: 9975, denominator: 10000 },
  code: { factory: null, router: null },
};
