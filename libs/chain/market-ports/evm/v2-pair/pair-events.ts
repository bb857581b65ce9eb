import type { EventDecoder } from '#libs/chain/chains/evm/event-decoder.js';
import { addressTopic, addressWord, hasWords, uintWord, withoutPrefix } from '#libs/chain/chains/evm/words.js';
import type { CreationDecoder, PoolEventReader } from '../evm-venue.js';

/**
 * Events of the Uniswap V2 pair and factory, which every fork emits unchanged. Amounts are signed pool deltas: positive
 * went into the pool.
 */
export const V2_TOPICS = {
  pairCreated: '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9',
  swap: '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822',
  sync: '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1',
  mint: '0x4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f',
  burn: '0xdccd412f0b1252819cb1fd330b93224ca42612892bb3f4f789976e6d81936496',
} as const;

/** PairCreated(address indexed token0, address indexed token1, address pair, uint count) */
export const createdPair =
  (venue: string, feePpm: number): CreationDecoder =>
  ({ topics, data }) => {
    if (topics.length !== 3 || !hasWords(data, 2)) return null;
    return {
      pool: addressWord(data, 0),
      venue,
      kind: 'constant-product',
      token0: addressTopic(topics[1]!),
      token1: addressTopic(topics[2]!),
      feePpm,
      tickSpacing: 0,
      created: true,
    };
  };

/** Swap(address indexed sender, uint amount0In, uint amount1In, uint amount0Out, uint amount1Out, address indexed to) */
const swap: EventDecoder = ({ address, topics, data }, tx, ordinal) => {
  if (topics.length !== 3 || !hasWords(data, 4)) return null;
  return {
    kind: 'swap',
    tx,
    ordinal,
    pool: withoutPrefix(address),
    amount0: uintWord(data, 0) - uintWord(data, 2),
    amount1: uintWord(data, 1) - uintWord(data, 3),
    sender: addressTopic(topics[1]!),
    recipient: addressTopic(topics[2]!),
    after: null,
  };
};

/** Sync(uint112 reserve0, uint112 reserve1) */
const sync: EventDecoder = ({ address, topics, data }, tx, ordinal) => {
  if (topics.length !== 1 || !hasWords(data, 2)) return null;
  return {
    kind: 'reserves',
    tx,
    ordinal,
    pool: withoutPrefix(address),
    reserve0: uintWord(data, 0),
    reserve1: uintWord(data, 1),
  };
};

/** A deposit or a withdrawal: the amounts that come, or go where `gives`. */
const liquidity =
  (indexed: number, gives: boolean): EventDecoder =>
  ({ address, topics, data }, tx, ordinal) => {
    if (topics.length !== 1 + indexed || !hasWords(data, 2)) return null;
    const signed = (word: number): bigint => (gives ? -uintWord(data, word) : uintWord(data, word));
    return {
      kind: 'liquidity',
      tx,
      ordinal,
      pool: withoutPrefix(address),
      owner: addressTopic(topics[1]!),
      tickLower: 0,
      tickUpper: 0,
      liquidityDelta: 0n,
      amount0: signed(0),
      amount1: signed(1),
    };
  };

/** Mint(address indexed sender, uint amount0, uint amount1) */
const mint = liquidity(1, false);

/** Burn(address indexed sender, uint amount0, uint amount1, address indexed to) */
const burn = liquidity(2, true);

/** The decoders by event, for forks that emit the same words under another signature. */
export const pairDecoders = { swap, sync, mint, burn } as const;

const reader = (decode: EventDecoder): PoolEventReader => ({ protocol: 'v2', decode });

export const v2PairEvents: Readonly<Record<string, PoolEventReader>> = {
  [V2_TOPICS.swap]: reader(swap),
  [V2_TOPICS.sync]: reader(sync),
  [V2_TOPICS.mint]: reader(mint),
  [V2_TOPICS.burn]: reader(burn),
};
