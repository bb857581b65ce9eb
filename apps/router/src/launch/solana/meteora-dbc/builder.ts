import { associatedId } from '#programs/client.js';
import type { SolanaLaunchBuilder } from '../../ports.js';
import { measuredCreate } from '../measured-create.js';
import { newMintKey } from '../mint-key.js';
import { wrappedBuy } from '../wrapped-buy.js';
import { buyOnCurve, createConfig, dbcCurve, initializePool } from './instructions.js';

/**
 * Meteora's dynamic bonding curve: one transaction makes the curve's settings, the mint and the curve, and buys. The settings are an
 * account of their own with a key of their own: no partner's may change what the token is.
 */
export const solanaMeteoraDbc: SolanaLaunchBuilder = {
  platform: 'meteora-dbc',
  build: (endpoint, order, signal) =>
    measuredCreate(endpoint, order, signal, ({ creator, initialBuy, name, symbol, uri }, { mint, keepsCoins }) => {
      const config = newMintKey();
      const curve = dbcCurve(config.id, mint.id);
      const create = [createConfig(curve, creator), initializePool(curve, { creator, name, symbol, uri })];
      return {
        ...{ curve: curve.id, tokens: associatedId(creator, mint.id), keys: [config, mint] },
        instructions(leastTokens) {
          if (initialBuy === 0n) return create;
          const swap = buyOnCurve(curve, creator, initialBuy, leastTokens);
          return [...create, ...wrappedBuy({ creator, mint: mint.id, lamports: initialBuy, keepsCoins }, swap)];
        },
      };
    }),
};
