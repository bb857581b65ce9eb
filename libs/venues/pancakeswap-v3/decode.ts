import type { EventDecoder } from '#libs/chains/evm/event-decoder.js';
import { hasWords } from '#libs/chains/evm/words.js';
import type { EvmVenue } from '../evm-venue.js';
import { createdPool, V3_TOPICS, v3PoolEvents, v3Swap } from '../v3-pool-events.js';

export const PANCAKESWAP_V3_SWAP_TOPIC = '0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83';

/**
 * Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96,
 * uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)
 */
const swap: EventDecoder = (log, tx, ordinal) =>
  log.topics.length === 3 && hasWords(log.data, 7) ? v3Swap(log, tx, ordinal) : null;

/** PancakeSwap V3: the V3 pool with a Swap of its own. */
export const pancakeswapV3: EvmVenue = {
  venue: 'pancakeswap-v3',
  protocol: 'v3',
  kind: 'concentrated',
  fixedFeePpm: null,
  creationTopic: V3_TOPICS.poolCreated,
  decodeCreation: createdPool('pancakeswap-v3'),
  events: { ...v3PoolEvents, [PANCAKESWAP_V3_SWAP_TOPIC]: swap },
};
