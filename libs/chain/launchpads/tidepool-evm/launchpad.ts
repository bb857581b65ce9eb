import { sqrtPriceX96 } from '#libs/chain/amm/ratio.js';
import { uintWord } from '#libs/chain/chains/evm/words.js';
import { answerWords } from '#libs/chain/market-ports/evm/answer-words.js';
import { contractProbe } from '#libs/chain/market-ports/evm/contract-probe.js';
import type { EvmLaunchpad } from '#libs/chain/market-ports/evm/evm-launchpad.js';
import type { PoolAnchorPlan } from '#libs/chain/market-ports/evm/evm-venue.js';
import { createdCurve, curveEvents, FEE_PPM, TIDEPOOL_LAUNCHPAD_NAME, TOPICS, VENUE } from './events.js';

const GET_CURVE = '4ca98f68';
/** In the order in which `read` takes their answers: remaining, raised, virtualTokens, virtualCoin. */
const STATE = ['55234ec0', 'f0ea4bfc', '1d3dad09', '8974f530'];

/** The state of a curve: what is left to sell, what was raised, and the virtual reserves that its price follows from. */
const curveAnchor: PoolAnchorPlan = {
  statedByEvents: false,
  calls: ({ pool }) => STATE.map((data) => ({ to: pool, data })),
  further: () => [],
  read: ({ pool, token0 }, { coin }, answers) => {
    const words = answers.map((answer) => answerWords(answer, 1));
    if (words.length !== STATE.length || words.includes(null)) return null;
    const [tokens, raised, virtualTokens, virtualCoin] = words.map((word) => uintWord(word!, 0)) as [
      ...[bigint, bigint, bigint, bigint],
    ];
    const price =
      token0 === coin
        ? sqrtPriceX96({ numerator: virtualTokens, denominator: virtualCoin })
        : sqrtPriceX96({ numerator: virtualCoin, denominator: virtualTokens });
    if (price === null) return null;
    const [reserve0, reserve1] = token0 === coin ? [raised, tokens] : [tokens, raised];
    return { pool, reserve0, reserve1, concentrated: { sqrtPriceX96: price, tick: 0, liquidity: 0n, ticks: [] } };
  },
};

/** Tidepool's own launchpad on EVM chains: a curve for each token, which moves to a pair of the chain's V2 exchange. */
export const tidepoolEvm: EvmLaunchpad = {
  launchpad: TIDEPOOL_LAUNCHPAD_NAME,
  hooks: {},
  curves: {
    venue: VENUE,
    label: 'Tidepool Launchpad',
    aliases: [],
    revision: 1,
    protocol: 'curve',
    creations: { [TOPICS.launched]: createdCurve },
    events: curveEvents,
    probe: contractProbe({
      venue: VENUE,
      getters: [],
      traits: () => ({ kind: 'curve', feePpm: FEE_PPM, tickSpacing: 0 }),
      lookup: { selector: GET_CURVE, rest: () => '' },
    }),
    anchor: curveAnchor,
    routing: null,
  },
};
