import type { EvmVenue } from '../evm-venue.js';
import { createdPair, V2_TOPICS, v2PairEvents } from '../v2-pair-events.js';

/** Uniswap V2: constant product, 0.3 % on every pair. */
export const uniswapV2: EvmVenue = {
  venue: 'uniswap-v2',
  protocol: 'v2',
  kind: 'constant-product',
  fixedFeePpm: 3000,
  creationTopic: V2_TOPICS.pairCreated,
  decodeCreation: createdPair('uniswap-v2', 3000),
  events: v2PairEvents,
};
