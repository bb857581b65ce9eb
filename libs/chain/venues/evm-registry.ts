// Room: one folder an exchange: decoding, quotes and call data of its pools. May import core, protocol, chain/amm,
// chain/chains, chain/market-ports.

import type { EvmVenueModule } from '#libs/chain/market-ports/evm/evm-venue.js';
import { registerVenues } from '#libs/chain/market-ports/evm/venue-registry.js';
import { aerodrome } from './aerodrome/venue.js';
import { aerodromeSlipstream } from './aerodrome-slipstream/venue.js';
import { pancakeswapV2 } from './pancakeswap-v2/venue.js';
import { pancakeswapV3 } from './pancakeswap-v3/venue.js';
import { uniswapV2 } from './uniswap-v2/venue.js';
import { uniswapV3 } from './uniswap-v3/venue.js';
import { uniswapV4 } from './uniswap-v4/venue.js';

/** One line a venue. */
export const evmVenues: ReadonlyMap<string, EvmVenueModule> = registerVenues([
  uniswapV2,
  uniswapV3,
  pancakeswapV2,
  pancakeswapV3,
  aerodrome,
  aerodromeSlipstream,
  uniswapV4,
]);
