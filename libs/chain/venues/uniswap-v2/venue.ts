import type { EvmVenueModule } from '#libs/chain/market-ports/evm/evm-venue.js';
import { pairPools } from '#libs/chain/market-ports/evm/v2-pair/pair-pools.js';
import { uniswapV2Routing } from './routing.js';

/** Uniswap V2: constant product, 0.3 % on every pair. */
export const uniswapV2: EvmVenueModule = {
  venue: 'uniswap-v2',
  label: 'Uniswap V2',
  aliases: ['DexA V2'],
  revision: 0,
  ...pairPools('uniswap-v2', 3000),
  routing: uniswapV2Routing,
};
