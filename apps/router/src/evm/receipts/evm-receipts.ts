import type { ReceiptOfBuild } from '../../receipts/receipt-book.js';
import type { BuiltEvmSwap } from '../model/built-swap.js';
import { receiptOfBuild } from './receipt-of-build.js';

/** Makes receipts of the builds of the EVM chains, for the keeper that all chain families share. */
export const evmReceipts: ReceiptOfBuild<BuiltEvmSwap> = {
  chain: ({ request }) => request.quote.priced.chain.slug,
  quoteId: ({ request }) => request.quote.quoteId,
  receipt: receiptOfBuild,
};
