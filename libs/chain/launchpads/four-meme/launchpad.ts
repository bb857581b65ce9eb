import type { EventDecoder } from '#libs/chain/chains/evm/event-decoder.js';
import { addressWord, hasWords, withoutPrefix } from '#libs/chain/chains/evm/words.js';
import type { EvmLaunchpad } from '#libs/chain/market-ports/evm/evm-launchpad.js';
import { hasHead } from '#libs/chain/market-ports/evm/launch-steps.js';

const TOKEN_CREATE = '0x396d5e902b675b032348d3d2e9517ee8f0c4a926603fbc075d3d282ff00cad20';
const LIQUIDITY_ADDED = '0xc18aa71171b358b706fe3dd345299685ba21a5316c66ffa9e319268b033c44b0';
const HEAD_WORDS = 8;

/**
 * TokenCreate(address creator, address token, uint256 requestId, string name, string symbol, uint256 totalSupply,
 * uint256 launchTime, uint256 launchFee). One contract holds all curves.
 */
const created: EventDecoder = ({ address, topics, data }, tx, ordinal) => {
  if (topics.length !== 1 || !hasHead(data, HEAD_WORDS)) return null;
  return {
    ...{ kind: 'launch', tx, ordinal, launchpad: 'four-meme', step: 'created', token: addressWord(data, 1) },
    ...{ curve: withoutPrefix(address), party: addressWord(data, 0), progressPpm: 0 },
  };
};

/** LiquidityAdded(address base, uint256 offers, address quote, uint256 funds): the token moved to a pair, which it does not name. */
const graduated: EventDecoder = ({ address, topics, data }, tx, ordinal) => {
  if (topics.length !== 1 || !hasWords(data, 4)) return null;
  return {
    ...{ kind: 'launch', tx, ordinal, launchpad: 'four-meme', step: 'graduated', token: addressWord(data, 0) },
    ...{ curve: withoutPrefix(address), party: null, progressPpm: 1_000_000 },
  };
};

/**
 * Four.meme's second token manager: creations and graduations. Its trades do not say in which token they are paid, nor how much a
 * curve sells in all: they are not read, and a token has no progress until it graduates.
 */
export const fourMeme: EvmLaunchpad = {
  launchpad: 'four-meme',
  hooks: {},
  steps: { revision: 1, contracts: { manager: { [TOKEN_CREATE]: created, [LIQUIDITY_ADDED]: graduated } } },
};
