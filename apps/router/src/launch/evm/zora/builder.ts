import { randomBytes } from 'node:crypto';
import { keccak256 } from 'viem';
import type { EvmLaunchBuilder } from '../../ports.js';
import { launchFactory } from '../launch-factory.js';
import { type EvmCreate, measuredCreate } from '../measured-create.js';
import { deployCoin, POOL_KEY_DIGITS, poolKeyCall, readDeployed, ZORA_ERRORS } from './deploy-coin.js';

const PLATFORM = 'zora';

/** Zora's coins: one call makes the coin and its Uniswap V4 pool with the chain's coin, and buys. */
export const evmZora: EvmLaunchBuilder = {
  platform: PLATFORM,
  build(endpoint, order, signal) {
    const salt = `0x${randomBytes(32).toString('hex')}` as const;
    const to = launchFactory(order.chain, PLATFORM);
    const create: EvmCreate = {
      ...{ platform: PLATFORM, label: 'Zora', errors: ZORA_ERRORS, keepsFloor: true },
      call: (least) => ({ to, data: deployCoin(order, salt, least).slice(2), value: order.initialBuy }),
      async made(answer, ask) {
        const deployed = readDeployed(answer);
        if (deployed === null) return null;
        // The id of a pool is the hash of its key.
        const key = await ask(poolKeyCall(deployed.token));
        return key.length === POOL_KEY_DIGITS ? { ...deployed, curve: keccak256(`0x${key}`).slice(2) } : null;
      },
    };
    return measuredCreate(endpoint, order, create, signal);
  },
};
