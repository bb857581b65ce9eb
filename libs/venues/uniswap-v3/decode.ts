import type { EvmVenue } from '../evm-venue.js';
import { createdPool, uniswapV3Swap, V3_TOPICS, v3PoolEvents } from '../v3-pool-events.js';

/** Uniswap V3: concentrated liquidity, a fee for each pool. */
export const uniswapV3: EvmVenue = {
  venue: 'uniswap-v3',
  protocol: 'v3',
  kind: 'concentrated',
  fixedFeePpm: null,
  creationTopic: V3_TOPICS.poolCreated,
  decodeCreation: createdPool('uniswap-v3'),
  events: { ...v3PoolEvents, [V3_TOPICS.swap]: uniswapV3Swap },
};
