import type { EventDecoder } from '#libs/chain/chains/evm/event-decoder.js';
import { addressTopic, addressWord, hasWords } from '#libs/chain/chains/evm/words.js';
import type { CreationDecoder, PoolEventReader } from '#libs/chain/market-ports/evm/evm-venue.js';
import { pairDecoders, V2_TOPICS, v2PairEvents } from '#libs/chain/market-ports/evm/v2-pair/pair-events.js';
import { poolTraits } from './traits.js';

/**
 * Events of Solidly's pool as Aerodrome emits them. Mint is the V2 pair's own; Sync has wider words, Swap and Burn name
 * the recipient earlier in their signatures. A swap's fee leaves the pool with it (`Fees`), which the reserves of its Sync show.
 */
export const SOLIDLY_TOPICS = {
  poolCreated: '0x2128d88d14c80cb081c1252a5acff7a264671bf199ce226b53788fb26065005e',
  swap: '0xb3e2773606abfd36b5bd91394b3a54d1398336c65005baf7bf7a05efeffaf75b',
  sync: '0xcf2aa50876cdfbb541206f89af0ee78d44a2abf8d328e37fa4917f982149848a',
  burn: '0x5d624aa9c148153ab3446c1b154f660ee7701e549fe9b62dab7171b1c80e6fa2',
} as const;

/** PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address pool, uint256 count) */
export const createdPool: CreationDecoder = ({ topics, data }, { venue: { venue } }) => {
  if (topics.length !== 4 || !hasWords(data, 2)) return null;
  const traits = poolTraits(topics[3]!.slice(2));
  if (traits === null) return null;
  return {
    pool: addressWord(data, 0),
    venue,
    token0: addressTopic(topics[1]!),
    token1: addressTopic(topics[2]!),
    ...traits,
    created: true,
  };
};

const reader = (decode: EventDecoder): PoolEventReader => ({ protocol: 'solidly', decode });

/**
 * Swap(address indexed sender, address indexed to, uint256 amount0In, uint256 amount1In, uint256 amount0Out,
 * uint256 amount1Out), Sync(uint256 reserve0, uint256 reserve1), Burn(address indexed sender, address indexed to,
 * uint256 amount0, uint256 amount1): topics and words are in the places of the V2 pair's.
 */
export const solidlyEvents: Readonly<Record<string, PoolEventReader>> = {
  [V2_TOPICS.mint]: v2PairEvents[V2_TOPICS.mint]!,
  [SOLIDLY_TOPICS.swap]: reader(pairDecoders.swap),
  [SOLIDLY_TOPICS.sync]: reader(pairDecoders.sync),
  [SOLIDLY_TOPICS.burn]: reader(pairDecoders.burn),
};
