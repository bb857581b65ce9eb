import { associatedId } from '#programs/client.js';
import { notWired } from '../../launch-problem.js';
import type { SolanaLaunchBuilder } from '../../ports.js';
import { measuredCreate } from '../measured-create.js';
import { wrappedBuy } from '../wrapped-buy.js';
import { buyExactIn, CONFIG, initializeV2, launchlabCurve, PLATFORM, platformLimits } from './instructions.js';

/** Raydium LaunchLab: one transaction makes the mint and its curve on Raydium's own platform, and buys. */
export const solanaRaydiumLaunchlab: SolanaLaunchBuilder = {
  platform: 'raydium-launchlab',
  build: (endpoint, order, signal) =>
    measuredCreate(
      endpoint,
      order,
      signal,
      ({ creator, initialBuy, name, symbol, uri }, { mint, keepsCoins, accounts }) => {
        const platform = accounts.get(PLATFORM) ?? null;
        if (platform === null || accounts.get(CONFIG) === null) {
          throw notWired('the launchpad does not stand on the chain of this node');
        }
        const curve = launchlabCurve(mint.id);
        const limits = platformLimits(platform.data);
        const create = initializeV2(curve, { creator, name, symbol, uri }, limits);
        return {
          ...{ curve: curve.id, tokens: associatedId(creator, mint.id), keys: [mint] },
          instructions(leastTokens) {
            if (initialBuy === 0n) return [create];
            const swap = buyExactIn(curve, creator, initialBuy, leastTokens);
            return [create, ...wrappedBuy({ creator, mint: mint.id, lamports: initialBuy, keepsCoins }, swap)];
          },
        };
      },
      [PLATFORM, CONFIG],
    ),
};
