import type { EventDecoder, LogInput } from '#libs/chain/chains/evm/event-decoder.js';
import {
  addressTopic,
  addressWord,
  hasWords,
  intWord,
  tickWord,
  uintWord,
  wordTopic,
} from '#libs/chain/chains/evm/words.js';
import type { CreationDecoder, PoolEventReader } from '#libs/chain/market-ports/evm/evm-venue.js';
import type { Hex } from '#libs/core/ids.js';
import { recordOf } from './pool-key.js';

/**
 * Events of the V4 pool manager, which speaks for all its pools: the first indexed word is the pool's id. The manager
 * states amounts as the caller sees them (what it gets is positive); here they are the pool's, so their sign is turned.
 */
export const V4_TOPICS = {
  initialize: '0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438',
  swap: '0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f',
  modifyLiquidity: '0xf208f4912782fd25c7f114ca3723a2d5dd6f3bcc3ac8db5af63baa85f711d5ec',
  donate: '0x29ef05caaff9404b7cb6d1c0e9bbae9eaa7ab2541feba1a9c4248594c08156cb',
} as const;

/**
 * Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing,
 * address hooks, uint160 sqrtPriceX96, int24 tick): makes the pool and sets its first price.
 */
export const createdPool: CreationDecoder = ({ topics, data }, site) => {
  if (topics.length !== 4 || !hasWords(data, 5)) return null;
  const tickSpacing = tickWord(data, 1);
  if (tickSpacing === null) return null;
  const key = {
    currency0: addressTopic(topics[2]!),
    currency1: addressTopic(topics[3]!),
    fee: Number(uintWord(data, 0)),
    tickSpacing,
    hooks: addressWord(data, 2),
  };
  return recordOf(wordTopic(topics[1]!), key, site, true);
};

const initialize: EventDecoder = ({ topics, data }, tx, ordinal) => {
  if (topics.length !== 4 || !hasWords(data, 5)) return null;
  const tick = tickWord(data, 4);
  if (tick === null) return null;
  return { kind: 'initialize', tx, ordinal, pool: wordTopic(topics[1]!), sqrtPriceX96: uintWord(data, 3), tick };
};

/**
 * Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96,
 * uint128 liquidity, int24 tick, uint24 fee). The manager pays whom its caller names later: the event knows the caller.
 */
const swap: EventDecoder = ({ topics, data }, tx, ordinal) => {
  if (topics.length !== 3 || !hasWords(data, 6)) return null;
  const tick = tickWord(data, 4);
  if (tick === null) return null;
  const sender = addressTopic(topics[2]!);
  return {
    kind: 'swap',
    tx,
    ordinal,
    pool: wordTopic(topics[1]!),
    amount0: -intWord(data, 0),
    amount1: -intWord(data, 1),
    sender,
    recipient: sender,
    after: { sqrtPriceX96: uintWord(data, 2), liquidity: uintWord(data, 3), tick },
  };
};

/**
 * ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta,
 * bytes32 salt). It states no amounts.
 */
const modifyLiquidity: EventDecoder = ({ topics, data }, tx, ordinal) => {
  if (topics.length !== 3 || !hasWords(data, 4)) return null;
  const tickLower = tickWord(data, 0);
  const tickUpper = tickWord(data, 1);
  if (tickLower === null || tickUpper === null) return null;
  return {
    kind: 'liquidity',
    tx,
    ordinal,
    pool: wordTopic(topics[1]!),
    owner: addressTopic(topics[2]!),
    tickLower,
    tickUpper,
    liquidityDelta: intWord(data, 2),
    amount0: 0n,
    amount1: 0n,
  };
};

/** Donate(bytes32 indexed id, address indexed sender, uint256 amount0, uint256 amount1): fees for those in range. */
const donate: EventDecoder = ({ topics, data }, tx, ordinal) => {
  if (topics.length !== 3 || !hasWords(data, 2)) return null;
  const [amount0, amount1] = [uintWord(data, 0), uintWord(data, 1)];
  return { kind: 'flow', tx, ordinal, pool: wordTopic(topics[1]!), amount0, amount1 };
};

const poolIn = ({ topics }: LogInput): Hex | null => (topics.length > 1 ? wordTopic(topics[1]!) : null);

const reader = (decode: EventDecoder): PoolEventReader => ({ protocol: 'v4', decode, poolIn });

export const v4Events: Readonly<Record<string, PoolEventReader>> = {
  [V4_TOPICS.initialize]: reader(initialize),
  [V4_TOPICS.swap]: reader(swap),
  [V4_TOPICS.modifyLiquidity]: reader(modifyLiquidity),
  [V4_TOPICS.donate]: reader(donate),
};
