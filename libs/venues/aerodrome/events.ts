import type { EventDecoder } from '#libs/chains/evm/event-decoder.js';
import { addressOf, addressTopic, addressWord, hasWords, uintWord } from '#libs/chains/evm/words.js';
import type { CreationDecoder, PoolEventReader } from '#libs/market-ports/evm/evm-venue.js';
import { V2_TOPICS, v2PairEvents } from '#libs/market-ports/evm/v2-pair/pair-events.js';
import { poolTraits } from './traits.js';

/**
 * Events of Solidly's pool as Aerodrome emits them. Mint is the V2 pair's own; Sync has wider words, Swap and Burn name
 * the recipient in another place. A swap's fee leaves the pool with it (`Fees`), which the reserves of its Sync show.
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

/**
 * Swap(address indexed sender, address indexed to, uint256 amount0In, uint256 amount1In, uint256 amount0Out,
 * uint256 amount1Out)
 */
const swap: EventDecoder = ({ address, topics, data }, tx, ordinal) => {
  if (topics.length !== 3 || !hasWords(data, 4)) return null;
  return {
    kind: 'swap',
    tx,
    ordinal,
    pool: addressOf(address),
    amount0: uintWord(data, 0) - uintWord(data, 2),
    amount1: uintWord(data, 1) - uintWord(data, 3),
    sender: addressTopic(topics[1]!),
    recipient: addressTopic(topics[2]!),
    after: null,
  };
};

/** Sync(uint256 reserve0, uint256 reserve1) */
const sync: EventDecoder = ({ address, topics, data }, tx, ordinal) => {
  if (topics.length !== 1 || !hasWords(data, 2)) return null;
  const [reserve0, reserve1] = [uintWord(data, 0), uintWord(data, 1)];
  return { kind: 'reserves', tx, ordinal, pool: addressOf(address), reserve0, reserve1 };
};

/** Burn(address indexed sender, address indexed to, uint256 amount0, uint256 amount1) */
const burn: EventDecoder = ({ address, topics, data }, tx, ordinal) => {
  if (topics.length !== 3 || !hasWords(data, 2)) return null;
  return {
    kind: 'liquidity',
    tx,
    ordinal,
    pool: addressOf(address),
    owner: addressTopic(topics[1]!),
    tickLower: 0,
    tickUpper: 0,
    liquidityDelta: 0n,
    amount0: -uintWord(data, 0),
    amount1: -uintWord(data, 1),
  };
};

const reader = (decode: EventDecoder): PoolEventReader => ({ protocol: 'solidly', decode });

export const solidlyEvents: Readonly<Record<string, PoolEventReader>> = {
  [V2_TOPICS.mint]: v2PairEvents[V2_TOPICS.mint]!,
  [SOLIDLY_TOPICS.swap]: reader(swap),
  [SOLIDLY_TOPICS.sync]: reader(sync),
  [SOLIDLY_TOPICS.burn]: reader(burn),
};
