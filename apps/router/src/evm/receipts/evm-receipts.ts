import type { ReceiptKeeper } from '../../receipts/receipt-keeper.js';
import type { ReceiptBook } from '../ports.js';
import { receiptOfBuild } from './receipt-of-build.js';

/** The builds of the EVM chains as receipts of the keeper that all families share. */
export const evmReceipts = (keeper: Pick<ReceiptKeeper, 'add'>): ReceiptBook => ({
  built: (build, account) => {
    const { slug } = build.request.quote.priced.chain;
    keeper.add(slug, (builtAfter, builtAt) => receiptOfBuild(build, account, builtAfter, builtAt));
  },
});
