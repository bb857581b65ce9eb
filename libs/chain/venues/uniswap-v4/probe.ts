import { addressWord, tickWord, uintWord } from '#libs/chain/chains/evm/words.js';
import { answerWords } from '#libs/chain/market-ports/evm/answer-words.js';
import type { PoolProbe } from '#libs/chain/market-ports/evm/evm-venue.js';
import { poolIdOf, recordOf } from './pool-key.js';

/** poolKeys(bytes25): the position manager keeps the key of every pool that it made a position in. */
const POOL_KEYS = '86b6be7d';
const ID_DIGITS = 50;

/**
 * First sight of a pool whose Initialize is not in the log. The manager cannot tell a key from an id; the position manager
 * can, and whatever answers need not be believed: the id is the hash of the key.
 */
export const keyProbe: PoolProbe = {
  calls: (pool, { contracts: { positionManager } }) =>
    positionManager === undefined
      ? []
      : [{ to: positionManager, data: POOL_KEYS + pool.slice(0, ID_DIGITS).padEnd(64, '0') }],
  claim: (pool, site, [answer]) => {
    const words = answerWords(answer, 5);
    if (words === null) return null;
    const tickSpacing = tickWord(words, 3);
    const fee = uintWord(words, 2);
    if (tickSpacing === null || fee >= 1n << 24n) return null;
    const [currency0, currency1, hooks] = [addressWord(words, 0), addressWord(words, 1), addressWord(words, 4)];
    const key = { currency0, currency1, fee: Number(fee), tickSpacing, hooks };
    return poolIdOf(key) === pool ? recordOf(pool, key, site, false) : null;
  },
  confirmation: () => null,
};
