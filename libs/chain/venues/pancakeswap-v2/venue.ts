import type { EvmVenueModule } from '#libs/chain/market-ports/evm/evm-venue.js';
import { pairPools } from '#libs/chain/market-ports/evm/v2-pair/pair-pools.js';
import { pancakeswapV2Routing } from './routing.js';

/** PancakeSwap V2: the V2 pair with 0.25 %. */
export const pancakeswapV2: EvmVenueModule = {
  venue: 'pancakeswap-v2',
  label: 'PancakeSwap V2',
  aliases: ['DexB V2'],
  revision: 0,
  ...pairPools('pancakeswap-v2', 2500),
  routing: pancakeswapV2Routing,
};
