import { sqrtPriceX96 } from '#libs/chain/amm/ratio.js';
import type { EventDecoder, LogInput } from '#libs/chain/chains/evm/event-decoder.js';
import { addressTopic, addressWord, hasWords, intWord, uintWord, withoutPrefix } from '#libs/chain/chains/evm/words.js';
import type { CreationDecoder, PoolEventReader } from '#libs/chain/market-ports/evm/evm-venue.js';
import { launchOf } from '#libs/chain/market-ports/evm/launch-steps.js';
import type { Hex } from '#libs/core/ids.js';

/** Events of the launchpad and of its curves. Each curve is a contract of its own and the pool of its trades. */
export const VENUE = 'tidepool';
export const TIDEPOOL_LAUNCHPAD_NAME = 'tidepool';
/** Of each trade, in the coin. */
export const FEE_PPM = 10_000;
const PPM = 1_000_000n;

export const TOPICS = {
  launched: '0x188ae4cd8aa7c0376e9501e76fb7a19dd1454add5c88bffbf75f391807a14475',
  trade: '0xa039a7034dec7d8139f9f776cd0f6d3d490082fc4e3bc3c28958057f6f875f6d',
  flow: '0xcc5f71eb53408ea3f8bace82414a9dca2447bb720e59ee736dc6854b874636e4',
  progress: '0xcffb726cf5e02d15a1e58687a4c41a8c6969a11686fd17143936db3249b19bdb',
  graduated: '0xe0fa856a5594b267f09bacd1b95510c80f71bf045d03ae5cfd239f0dd637b728',
} as const;

/** CurveLaunched(address indexed token, address indexed creator, address curve), of the launchpad itself. */
export const createdCurve: CreationDecoder = ({ topics, data }, { coin }) => {
  if (topics.length !== 3 || !hasWords(data, 1)) return null;
  const token = addressTopic(topics[1]!);
  if (token === coin) return null;
  const [token0, token1] = token < coin ? [token, coin] : [coin, token];
  const pool = addressWord(data, 0);
  return { pool, venue: VENUE, kind: 'curve', token0, token1, feePpm: FEE_PPM, tickSpacing: 0, created: true };
};

const launchedCurve = ({ topics, data }: LogInput): Hex | null =>
  topics.length === 3 && hasWords(data, 1) ? addressWord(data, 0) : null;

const launched: EventDecoder = (log, tx, ordinal) => {
  const curve = launchedCurve(log);
  if (curve === null) return null;
  const [token, party] = [addressTopic(log.topics[1]!), addressTopic(log.topics[2]!)];
  return { ...launchOf(TIDEPOOL_LAUNCHPAD_NAME, tx, ordinal), step: 'created', token, curve, party, progressPpm: 0 };
};

/**
 * CurveTrade(address indexed trader, address indexed recipient, int256 amount0, int256 amount1, uint256 virtual0,
 * uint256 virtual1): what came into the curve, and the virtual reserves after it, whose ratio is its price.
 */
const trade: EventDecoder = ({ address, topics, data }, tx, ordinal) => {
  if (topics.length !== 3 || !hasWords(data, 4)) return null;
  const price = sqrtPriceX96({ numerator: uintWord(data, 3), denominator: uintWord(data, 2) });
  if (price === null) return null;
  return {
    kind: 'swap',
    tx,
    ordinal,
    pool: withoutPrefix(address),
    amount0: intWord(data, 0),
    amount1: intWord(data, 1),
    sender: addressTopic(topics[1]!),
    recipient: addressTopic(topics[2]!),
    after: { sqrtPriceX96: price, liquidity: 0n, tick: 0 },
  };
};

/** CurveFlow(int256 amount0, int256 amount1): the supply at the start, the fee of a trade, all that was raised at the end. */
const flow: EventDecoder = ({ address, topics, data }, tx, ordinal) => {
  if (topics.length !== 1 || !hasWords(data, 2)) return null;
  const [amount0, amount1] = [intWord(data, 0), intWord(data, 1)];
  return { kind: 'flow', tx, ordinal, pool: withoutPrefix(address), amount0, amount1 };
};

/** CurveProgress(address indexed token, uint256 sold, uint256 forSale), after each trade. */
const progress: EventDecoder = ({ address, topics, data }, tx, ordinal) => {
  if (topics.length !== 2 || !hasWords(data, 2)) return null;
  const [sold, forSale] = [uintWord(data, 0), uintWord(data, 1)];
  if (forSale === 0n || sold > forSale) return null;
  return {
    ...launchOf(TIDEPOOL_LAUNCHPAD_NAME, tx, ordinal),
    ...{ step: 'progress', token: addressTopic(topics[1]!) },
    ...{ curve: withoutPrefix(address), party: null, progressPpm: Number((sold * PPM) / forSale) },
  };
};

/** CurveGraduated(address indexed token, address pool) */
const graduated: EventDecoder = ({ address, topics, data }, tx, ordinal) => {
  if (topics.length !== 2 || !hasWords(data, 1)) return null;
  return {
    ...launchOf(TIDEPOOL_LAUNCHPAD_NAME, tx, ordinal),
    ...{ step: 'graduated', token: addressTopic(topics[1]!) },
    ...{ curve: withoutPrefix(address), party: addressWord(data, 0), progressPpm: Number(PPM) },
  };
};

const reader = (decode: EventDecoder): PoolEventReader => ({ protocol: 'curve', decode });

export const curveEvents: Readonly<Record<string, PoolEventReader>> = {
  [TOPICS.launched]: { ...reader(launched), poolIn: launchedCurve },
  [TOPICS.trade]: reader(trade),
  [TOPICS.flow]: reader(flow),
  [TOPICS.progress]: reader(progress),
  [TOPICS.graduated]: reader(graduated),
};
