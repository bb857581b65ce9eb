import { createHash } from 'node:crypto';
import type { Methods, RpcContext } from './rpc-context.js';
import { invalidParams } from './rpc-errors.js';
import { configAt, listAt, textAt } from './rpc-params.js';
import { wireAt } from './rpc-transactions.js';

const MOST_OF_A_BUNDLE = 5;

/**
 * Bundles as a block engine takes them (Jito's JSON-RPC): up to five transactions that the next block holds one right after
 * the other, all of them or none. Tips go to the faucet.
 */
export function bundleMethods({ chain }: RpcContext): Methods {
  return {
    sendBundle: (params) => {
      const config = configAt(params, 1);
      const texts = listAt(params, 0, MOST_OF_A_BUNDLE, 'transactions');
      if (texts.length === 0) throw invalidParams('a bundle holds at least one transaction');
      const transactions = texts.map((_, index) => wireAt(textAt(texts, index, 'a string'), config));
      chain.submitBundle(transactions);
      return createHash('sha256')
        .update(transactions.map(({ signature }) => signature).join(','))
        .digest('hex');
    },
    getTipAccounts: () => [chain.faucet.address],
  };
}
