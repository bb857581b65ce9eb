import type { EventDecoder, LogInput } from '#libs/chain/chains/evm/event-decoder.js';
import {
  addressTopic,
  addressWord,
  hasWords,
  intWord,
  tickTopic,
  tickWord,
  uintWord,
  withoutPrefix,
} from '#libs/chain/chains/evm/words.js';
import type { ChainEvent } from '#libs/protocol/blocks.js';
import type { CreationDecoder, PoolEventReader } from '../evm-venue.js';

/**
 * Events of the Uniswap V3 pool and factory, which forks emit unchanged but for their Swap. Amounts are signed pool
 * deltas: positive went into the pool. A burn only books liquidity out; the tokens leave with a collect.
 */
export const V3_TOPICS = {
  poolCreated: '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118',
  initialize: '0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95',
  mint: '0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde',
  burn: '0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c',
  swap: '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
  collect: '0x70935338e69775456a85ddef226c395fb668b63fa0115f5f20610b388e6ca9c0',
  collectProtocol: '0x596b573906218d3411850b26a6b437d6c4522fdb43d2d2386263f86d50b8b151',
  flash: '0xbdbdb71d7860376ba52b25a5028beea23581364a40522f6bcfb86bb1f2dca633',
} as const;

/** PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool) */
export const createdPool =
  (venue: string): CreationDecoder =>
  ({ topics, data }) => {
    if (topics.length !== 4 || !hasWords(data, 2)) return null;
    const tickSpacing = tickWord(data, 0);
    const feePpm = Number.parseInt(topics[3]!, 16);
    if (tickSpacing === null || tickSpacing <= 0 || !(feePpm < 1_000_000)) return null;
    return {
      pool: addressWord(data, 1),
      venue,
      kind: 'concentrated',
      token0: addressTopic(topics[1]!),
      token1: addressTopic(topics[2]!),
      feePpm,
      tickSpacing,
      created: true,
    };
  };

/** The words that every V3 Swap starts with; forks append to them. */
export function v3Swap({ address, topics, data }: LogInput, tx: number, ordinal: number): ChainEvent | null {
  const tick = tickWord(data, 4);
  if (tick === null) return null;
  return {
    kind: 'swap',
    tx,
    ordinal,
    pool: withoutPrefix(address),
    amount0: intWord(data, 0),
    amount1: intWord(data, 1),
    sender: addressTopic(topics[1]!),
    recipient: addressTopic(topics[2]!),
    after: { sqrtPriceX96: uintWord(data, 2), liquidity: uintWord(data, 3), tick },
  };
}

/**
 * Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96,
 * uint128 liquidity, int24 tick)
 */
const swap: EventDecoder = (log, tx, ordinal) =>
  log.topics.length === 3 && hasWords(log.data, 5) ? v3Swap(log, tx, ordinal) : null;

/** Initialize(uint160 sqrtPriceX96, int24 tick) */
const initialize: EventDecoder = ({ address, topics, data }, tx, ordinal) => {
  if (topics.length !== 1 || !hasWords(data, 2)) return null;
  const tick = tickWord(data, 1);
  if (tick === null) return null;
  return { kind: 'initialize', tx, ordinal, pool: withoutPrefix(address), sqrtPriceX96: uintWord(data, 0), tick };
};

/** A change of a position whose liquidity is the word at `at`, the amounts after it; `gives` where they leave the pool. */
const liquidity =
  (words: number, at: number, gives: boolean): EventDecoder =>
  ({ address, topics, data }, tx, ordinal) => {
    if (topics.length !== 4 || !hasWords(data, words)) return null;
    const tickLower = tickTopic(topics[2]!);
    const tickUpper = tickTopic(topics[3]!);
    if (tickLower === null || tickUpper === null) return null;
    const signed = (word: number): bigint => (gives ? -uintWord(data, word) : uintWord(data, word));
    return {
      kind: 'liquidity',
      tx,
      ordinal,
      pool: withoutPrefix(address),
      owner: addressTopic(topics[1]!),
      tickLower,
      tickUpper,
      liquidityDelta: signed(at),
      amount0: signed(at + 1),
      amount1: signed(at + 2),
    };
  };

/**
 * Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount,
 * uint256 amount0, uint256 amount1)
 */
const mint = liquidity(4, 1, false);

/**
 * Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0,
 * uint256 amount1)
 */
const burn = liquidity(3, 0, true);

/** Amounts that move and change nothing else: the words at `at` and after it; `gives` where they leave the pool. */
export const flow =
  (indexed: number, words: number, at: number, gives: boolean): EventDecoder =>
  ({ address, topics, data }, tx, ordinal) => {
    if (topics.length !== 1 + indexed || !hasWords(data, words)) return null;
    const signed = (word: number): bigint => (gives ? -uintWord(data, word) : uintWord(data, word));
    return { kind: 'flow', tx, ordinal, pool: withoutPrefix(address), amount0: signed(at), amount1: signed(at + 1) };
  };

/**
 * Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0,
 * uint128 amount1)
 */
const collect = flow(3, 3, 1, true);

/** CollectProtocol(address indexed sender, address indexed recipient, uint128 amount0, uint128 amount1) */
const collectProtocol = flow(2, 2, 0, true);

/**
 * Flash(address indexed sender, address indexed recipient, uint256 amount0, uint256 amount1, uint256 paid0,
 * uint256 paid1): the loan came back, `paid` is what stayed.
 */
const flash = flow(2, 4, 2, false);

/** A reader of V3 pools: also for the events that a fork has of its own. */
export const v3Reader = (decode: EventDecoder): PoolEventReader => ({ protocol: 'v3', decode });

/** The Swap of Uniswap's own pool, which some forks emit unchanged. */
export const v3SwapEvent: Readonly<Record<string, PoolEventReader>> = { [V3_TOPICS.swap]: v3Reader(swap) };

/** What every fork emits unchanged. */
export const v3CoreEvents: Readonly<Record<string, PoolEventReader>> = {
  [V3_TOPICS.initialize]: v3Reader(initialize),
  [V3_TOPICS.mint]: v3Reader(mint),
  [V3_TOPICS.burn]: v3Reader(burn),
  [V3_TOPICS.collect]: v3Reader(collect),
  [V3_TOPICS.flash]: v3Reader(flash),
};

/** All of Uniswap's pool but Swap, which differs between forks. */
export const v3PoolEvents: Readonly<Record<string, PoolEventReader>> = {
  ...v3CoreEvents,
  [V3_TOPICS.collectProtocol]: v3Reader(collectProtocol),
};
