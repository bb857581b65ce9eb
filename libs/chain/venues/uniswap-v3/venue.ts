import type { EvmVenueModule } from '#libs/chain/market-ports/evm/evm-venue.js';
import { v3SwapEvent } from '#libs/chain/market-ports/evm/v3-pool/pool-events.js';
import { v3Pools } from '#libs/chain/market-ports/evm/v3-pool/v3-pools.js';
import { uniswapV3Routing } from './routing.js';

/** Uniswap V3: concentrated liquidity, a fee for each pool. */
export const uniswapV3: EvmVenueModule = {
  venue: 'uniswap-v3',
  label: 'Uniswap V3',
  aliases: ['DexA V3'],
  revision: 0,
  ...v3Pools('uniswap-v3', v3SwapEvent),
  routing: uniswapV3Routing,
};
