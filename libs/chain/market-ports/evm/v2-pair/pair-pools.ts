import { uintWord } from '#libs/chain/chains/evm/words.js';
import { answerWords } from '../answer-words.js';
import { contractProbe } from '../contract-probe.js';
import type { EvmVenueModule, PoolAnchorPlan } from '../evm-venue.js';
import { createdPair, V2_TOPICS, v2PairEvents } from './pair-events.js';

const SELECTORS = { getReserves: '0902f1ac', getPair: 'e6a43905' } as const;

/** State of a V2 pair: its reserves. */
export const reservesAnchor: PoolAnchorPlan = {
  statedByEvents: true,
  calls: ({ pool }) => [{ to: pool, data: SELECTORS.getReserves }],
  further: () => [],
  read: ({ pool }, _, [answer]) => {
    const reserves = answerWords(answer, 3);
    return reserves && { pool, reserve0: uintWord(reserves, 0), reserve1: uintWord(reserves, 1), concentrated: null };
  },
};

/** How the pools of a Uniswap V2 fork are found and read: constant product, one fee for all of them. */
export function pairPools(
  venue: string,
  feePpm: number,
): Pick<EvmVenueModule, 'protocol' | 'creations' | 'events' | 'probe' | 'anchor'> {
  return {
    protocol: 'v2',
    creations: { [V2_TOPICS.pairCreated]: createdPair(venue, feePpm) },
    events: v2PairEvents,
    probe: contractProbe({
      venue,
      getters: [],
      traits: () => ({ kind: 'constant-product', feePpm, tickSpacing: 0 }),
      lookup: { selector: SELECTORS.getPair, rest: () => '' },
    }),
    anchor: reservesAnchor,
  };
}
