import { encodeUint } from '#libs/chain/chains/evm/words.js';
import { contractProbe, type PoolTraits, smallAnswer } from '../contract-probe.js';
import type { EvmVenueModule, PoolEventReader } from '../evm-venue.js';
import { v3Anchor } from './pool-anchor.js';
import { createdPool, V3_TOPICS, v3PoolEvents } from './pool-events.js';

/** Fee and tick spacing. */
export const V3_GETTERS = ['ddca3f43', 'd0c93a7c'] as const;
const GET_POOL = '1698ee82';
const SLOT0_WORDS = 7;

/** What the answers of `V3_GETTERS` say of a pool. */
export function v3Traits([fee, spacing]: readonly (string | null)[]): PoolTraits | null {
  const feePpm = smallAnswer(fee, 999_999);
  const tickSpacing = smallAnswer(spacing, 16_384);
  return feePpm === null || !tickSpacing ? null : { kind: 'concentrated', feePpm, tickSpacing };
}

/** How the pools of a Uniswap V3 fork are found and read: concentrated liquidity, a fee for each pool. */
export function v3Pools(
  venue: string,
  swapEvent: Readonly<Record<string, PoolEventReader>>,
): Pick<EvmVenueModule, 'protocol' | 'creations' | 'events' | 'probe' | 'anchor'> {
  return {
    protocol: 'v3',
    creations: { [V3_TOPICS.poolCreated]: createdPool(venue) },
    events: { ...v3PoolEvents, ...swapEvent },
    probe: contractProbe({
      venue,
      getters: V3_GETTERS,
      traits: v3Traits,
      lookup: { selector: GET_POOL, rest: ({ feePpm }) => encodeUint(feePpm) },
    }),
    anchor: v3Anchor(SLOT0_WORDS),
  };
}
