import { addressTopic, addressWord, encodeInt, hasWords, tickTopic } from '#libs/chain/chains/evm/words.js';
import { contractProbe } from '#libs/chain/market-ports/evm/contract-probe.js';
import type { CreationDecoder, EvmVenueModule } from '#libs/chain/market-ports/evm/evm-venue.js';
import { v3Anchor } from '#libs/chain/market-ports/evm/v3-pool/pool-anchor.js';
import { flow, v3CoreEvents, v3Reader, v3SwapEvent } from '#libs/chain/market-ports/evm/v3-pool/pool-events.js';
import { V3_GETTERS, v3Traits } from '#libs/chain/market-ports/evm/v3-pool/v3-pools.js';

export const SLIPSTREAM_TOPICS = {
  poolCreated: '0xab0d57f0df537bb25e80245ef7748fa62353808c54d6e528a9dd20887aed9ac2',
  collectFees: '0x205860e66845f2bbc0966bfab80db9bf93fca93862ea2b9fcf6945748352b4a3',
} as const;

const GET_POOL = '28af8d0b';
/** Slot0 has no protocol fee. */
const SLOT0_WORDS = 6;

/** Fees that the factory starts with, by tick spacing; it can change a pool's, which no event of the pool says. */
const START_FEES: Readonly<Record<number, number>> = { 1: 100, 50: 500, 100: 500, 200: 3_000, 2000: 10_000 };

/** PoolCreated(address indexed token0, address indexed token1, int24 indexed tickSpacing, address pool) */
const created: CreationDecoder = ({ topics, data }, { venue: { venue } }) => {
  if (topics.length !== 4 || !hasWords(data, 1)) return null;
  const tickSpacing = tickTopic(topics[3]!);
  if (tickSpacing === null || tickSpacing <= 0) return null;
  return {
    pool: addressWord(data, 0),
    venue,
    kind: 'concentrated',
    token0: addressTopic(topics[1]!),
    token1: addressTopic(topics[2]!),
    feePpm: START_FEES[tickSpacing] ?? 0,
    tickSpacing,
    created: true,
  };
};

/** CollectFees(address indexed recipient, uint128 amount0, uint128 amount1): what staked liquidity earned leaves the pool. */
const collectFees = flow(1, 2, 0, true);

/**
 * Aerodrome's concentrated pools: Uniswap's V3 pool, named by its tick spacing instead of its fee. Market data only.
 */
export const aerodromeSlipstream: EvmVenueModule = {
  venue: 'aerodrome-slipstream',
  label: 'Aerodrome Slipstream',
  aliases: [],
  revision: 1,
  protocol: 'v3',
  creations: { [SLIPSTREAM_TOPICS.poolCreated]: created },
  events: { ...v3CoreEvents, ...v3SwapEvent, [SLIPSTREAM_TOPICS.collectFees]: v3Reader(collectFees) },
  probe: contractProbe({
    venue: 'aerodrome-slipstream',
    getters: V3_GETTERS,
    traits: v3Traits,
    lookup: { selector: GET_POOL, rest: ({ tickSpacing }) => encodeInt(tickSpacing) },
  }),
  anchor: v3Anchor(SLOT0_WORDS),
  routing: null,
};
