import type { EvmVenueModule } from '#libs/chain/market-ports/evm/evm-venue.js';
import { storageAnchor } from './anchor.js';
import { createdPool, V4_TOPICS, v4Events } from './events.js';
import { keyProbe } from './probe.js';

/**
 * Uniswap V4: concentrated liquidity of all pools in one manager, a pool named by the hash of its key, with hooks that may
 * run at each step. Market data only.
 */
export const uniswapV4: EvmVenueModule = {
  venue: 'uniswap-v4',
  label: 'Uniswap V4',
  aliases: [],
  revision: 1,
  protocol: 'v4',
  creations: { [V4_TOPICS.initialize]: createdPool },
  events: v4Events,
  probe: keyProbe,
  anchor: storageAnchor,
  routing: null,
};
