import type { EventDecoder } from '#libs/chain/chains/evm/event-decoder.js';
import { addressTopic, addressWord } from '#libs/chain/chains/evm/words.js';
import type { EvmLaunchpad } from '#libs/chain/market-ports/evm/evm-launchpad.js';
import { hasHead } from '#libs/chain/market-ports/evm/launch-steps.js';

const COIN_CREATED_V4 = '0x2de436107c2096e039c98bbcc3c5a2560583738ce15c234557eecb4d3221aa81';
const CREATOR_COIN_CREATED = '0x74b670d628e152daa36ca95dda7cb0002d6ea7a37b55afe4593db7abd1515781';
const HEAD_WORDS = 12;
const COIN = 4;
const POOL_KEY_HASH = 10;

/**
 * CoinCreatedV4(address indexed caller, address indexed payoutRecipient, address indexed platformReferrer, address currency,
 * string uri, string name, string symbol, address coin, PoolKey poolKey, bytes32 poolKeyHash, string version), and
 * CreatorCoinCreated with the same fields. The creator is whom it pays.
 */
const coinCreated: EventDecoder = ({ topics, data }, tx, ordinal) => {
  if (topics.length !== 4 || !hasHead(data, HEAD_WORDS)) return null;
  return {
    ...{ kind: 'launch', tx, ordinal, launchpad: 'zora', step: 'created', token: addressWord(data, COIN) },
    curve: data.slice(64 * POOL_KEY_HASH, 64 * POOL_KEY_HASH + 64).toLowerCase(),
    ...{ party: addressTopic(topics[2]!), progressPpm: 0 },
  };
};

/** Zora's coins: each trades in its Uniswap V4 pool from the first block on; there is no graduation. */
export const zora: EvmLaunchpad = {
  launchpad: 'zora',
  hooks: {},
  steps: {
    revision: 1,
    contracts: { factory: { [COIN_CREATED_V4]: coinCreated, [CREATOR_COIN_CREATED]: coinCreated } },
  },
};
