import type { EvmVenue } from '../evm-venue.js';
import { createdPair, V2_TOPICS, v2PairEvents } from '../v2-pair-events.js';

/** PancakeSwap V2: the V2 pair with 0.25 %. */
export const pancakeswapV2: EvmVenue = {
  venue: 'pancakeswap-v2',
  protocol: 'v2',
  kind: 'constant-product',
  fixedFeePpm: 2500,
  creationTopic: V2_TOPICS.pairCreated,
  decodeCreation: createdPair('pancakeswap-v2', 2500),
  events: v2PairEvents,
};
