import type { EventDecoder } from '#libs/chain/chains/evm/event-decoder.js';
import { addressTopic } from '#libs/chain/chains/evm/words.js';
import type { EvmLaunchpad } from '#libs/chain/market-ports/evm/evm-launchpad.js';
import { hasHead } from '#libs/chain/market-ports/evm/launch-steps.js';

const TOKEN_CREATED = '0x9299d1d1a88d8e1abdc591ae7a167a6bc63a8f17d695804e9091ee33aa89fb67';
const HEAD_WORDS = 14;
const POOL_ID = 8;

/**
 * TokenCreated(address msgSender, address indexed tokenAddress, address indexed tokenAdmin, string tokenImage,
 * string tokenName, string tokenSymbol, string tokenMetadata, string tokenContext, int24 startingTick, address poolHook,
 * bytes32 poolId, address pairedToken, address locker, address mevModule, uint256 extensionsSupply, address[] extensions).
 * A bot often sends it: the creator is the admin that it names.
 */
const tokenCreated: EventDecoder = ({ topics, data }, tx, ordinal) => {
  if (topics.length !== 3 || !hasHead(data, HEAD_WORDS)) return null;
  return {
    ...{ kind: 'launch', tx, ordinal, launchpad: 'clanker', step: 'created', token: addressTopic(topics[1]!) },
    curve: data.slice(64 * POOL_ID, 64 * POOL_ID + 64).toLowerCase(),
    ...{ party: addressTopic(topics[2]!), progressPpm: 0 },
  };
};

/** Clanker v4: a token trades in its Uniswap V4 pool from the first block on; there is no curve to sell out and no graduation. */
export const clanker: EvmLaunchpad = {
  launchpad: 'clanker',
  hooks: {},
  steps: { revision: 1, contracts: { factory: { [TOKEN_CREATED]: tokenCreated } } },
};
