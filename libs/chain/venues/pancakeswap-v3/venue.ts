import type { EventDecoder } from '#libs/chain/chains/evm/event-decoder.js';
import { hasWords } from '#libs/chain/chains/evm/words.js';
import type { EvmVenueModule } from '#libs/chain/market-ports/evm/evm-venue.js';
import { v3Reader, v3Swap } from '#libs/chain/market-ports/evm/v3-pool/pool-events.js';
import { v3Pools } from '#libs/chain/market-ports/evm/v3-pool/v3-pools.js';
import { pancakeswapV3Routing } from './routing.js';

const PANCAKESWAP_V3_SWAP_TOPIC = '0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83';

/**
 * Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96,
 * uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)
 */
const swap: EventDecoder = (log, tx, ordinal) =>
  log.topics.length === 3 && hasWords(log.data, 7) ? v3Swap(log, tx, ordinal) : null;

/** PancakeSwap V3: the V3 pool with a Swap of its own. */
export const pancakeswapV3: EvmVenueModule = {
  venue: 'pancakeswap-v3',
  label: 'PancakeSwap V3',
  aliases: ['DexB V3'],
  revision: 0,
  ...v3Pools('pancakeswap-v3', { [PANCAKESWAP_V3_SWAP_TOPIC]: v3Reader(swap) }),
  routing: pancakeswapV3Routing,
};
