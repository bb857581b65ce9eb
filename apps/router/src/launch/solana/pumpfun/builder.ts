import { associatedId, createAssociatedAccount } from '#programs/client.js';
import type { SolanaLaunchBuilder } from '../../ports.js';
import { measuredCreate } from '../measured-create.js';
import { buyExactSolIn, createV2, curveOf, TOKEN_2022 } from './instructions.js';

/** pump.fun: one transaction makes the mint and its curve, and buys. */
export const solanaPumpFun: SolanaLaunchBuilder = {
  platform: 'pumpfun',
  build: (endpoint, order, signal) =>
    measuredCreate(endpoint, order, signal, ({ creator, initialBuy, name, symbol, uri }, { mint }) => ({
      curve: curveOf(mint.id),
      tokens: associatedId(creator, mint.id, TOKEN_2022),
      keys: [mint],
      instructions(leastTokens) {
        const create = createV2({ mint: mint.id, creator, name, symbol, uri });
        if (initialBuy === 0n) return [create];
        const buy = buyExactSolIn({ mint: mint.id, creator, user: creator, lamports: initialBuy, leastTokens });
        return [create, createAssociatedAccount(creator, creator, mint.id, TOKEN_2022), buy];
      },
    })),
};
