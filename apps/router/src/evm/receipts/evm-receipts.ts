import type { ReceiptKeeper } from '../../receipts/receipt-keeper.js';
import type { ReceiptBook } from '../ports.js';
import { receiptOfBuild } from './receipt-of-build.js';

/** The builds of the EVM chains as receipts of the keeper that all families share. */
export function evmReceipts(keeper: Pick<ReceiptKeeper, 'add'>): ReceiptBook {
  return {
    built: ({ request, answer }) => {
      keeper.add(answer.quoteResponse.chain, (builtAfter, builtAt) =>
        receiptOfBuild(request, answer, builtAfter, builtAt),
      );
    },
  };
}
