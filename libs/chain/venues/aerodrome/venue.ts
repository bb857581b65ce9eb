import { encodeUint } from '#libs/chain/chains/evm/words.js';
import { contractProbe } from '#libs/chain/market-ports/evm/contract-probe.js';
import type { EvmVenueModule } from '#libs/chain/market-ports/evm/evm-venue.js';
import { reservesAnchor } from '#libs/chain/market-ports/evm/v2-pair/pair-pools.js';
import { createdPool, SOLIDLY_TOPICS, solidlyEvents } from './events.js';
import { poolTraits } from './traits.js';

const SELECTORS = { stable: '22be3de1', getPool: '79bc57d5' } as const;

/** Aerodrome's Solidly pools: volatile ones on the constant product, stable ones on x³y + y³x. Market data only. */
export const aerodrome: EvmVenueModule = {
  venue: 'aerodrome',
  label: 'Aerodrome',
  aliases: [],
  revision: 1,
  protocol: 'solidly',
  creations: { [SOLIDLY_TOPICS.poolCreated]: createdPool },
  events: solidlyEvents,
  probe: contractProbe({
    venue: 'aerodrome',
    getters: [SELECTORS.stable],
    traits: ([stable]) => poolTraits(stable),
    lookup: { selector: SELECTORS.getPool, rest: ({ kind }) => encodeUint(kind === 'stable' ? 1 : 0) },
  }),
  anchor: reservesAnchor,
  routing: null,
};
