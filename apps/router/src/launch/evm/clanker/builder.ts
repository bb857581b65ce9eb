import { randomBytes } from 'node:crypto';
import type { Hex } from '#libs/core/ids.js';
import type { EvmLaunchBuilder } from '../../ports.js';
import { launchFactory } from '../launch-factory.js';
import { measuredCreate } from '../measured-create.js';
import { CLANKER_ERRORS, clankerPoolOf, deployToken } from './deploy-token.js';

const PLATFORM = 'clanker';
const WORD = 64;

/** Clanker v4: one call makes the token and its Uniswap V4 pool, locks all of it there, and buys. */
export const evmClanker: EvmLaunchBuilder = {
  platform: PLATFORM,
  // A little less than what the whole pool sells for: Clanker's own contract keeps what a buy leaves over.
  mostBuy: 2_400n * 10n ** 18n,
  build(endpoint, order, signal) {
    const { chain, initialBuy: value } = order;
    const salt = randomBytes(32).toString('hex');
    const call = { to: launchFactory(chain, PLATFORM), data: deployToken(order, `0x${salt}`).slice(2), value };
    const create = {
      ...{ platform: PLATFORM, label: 'Clanker', errors: CLANKER_ERRORS, keepsFloor: false, call: () => call },
      made: (answer: Hex) => {
        const token = answer.slice(WORD - 40);
        return answer.length === WORD ? { token, curve: clankerPoolOf(chain, token) } : null;
      },
    };
    return measuredCreate(endpoint, order, create, signal);
  },
};
