import type { ReceiptOfBuild } from '../../receipts/receipt-book.js';
import type { BuiltEvmSwap } from '../model/built-swap.js';
import { receiptOfBuild } from './receipt-of-build.js';

/** The builds of the EVM chains as receipts of the keeper that all families share. */
export const evmReceipts: ReceiptOfBuild<BuiltEvmSwap> = {
  chain: ({ request }) => request.quote.priced.chain.slug,
  quoteId: ({ request }) => request.quote.quoteId,
  receipt: receiptOfBuild,
};
