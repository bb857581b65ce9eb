import type { FactsPosition, QuoteReceipt } from '#libs/protocol/receipts.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import type { ReceiptKeeper } from './receipt-keeper.js';

/** Keeps what was promised: called with every build that was answered. */
export interface ReceiptBook<Build> {
  /** `account`: whose key built it; null: the router asks for no keys. */
  built(build: Build, account: string | null): void;
}

/** How a family makes a receipt of its builds; null where a build has none. */
export interface ReceiptOfBuild<Build> {
  chain(build: Build): string;
  quoteId(build: Build): string;
  receipt(build: Build, account: string | null, builtAfter: FactsPosition, builtAt: number): QuoteReceipt | null;
}

/** A receipt that cannot be kept is no reason to withhold a build. */
export const receiptBook = <Build>(
  keeper: Pick<ReceiptKeeper, 'add'>,
  logger: Pick<HttpLogger, 'error'>,
  of: ReceiptOfBuild<Build>,
): ReceiptBook<Build> => ({
  built(build, account) {
    try {
      keeper.add(of.chain(build), (builtAfter, builtAt) => of.receipt(build, account, builtAfter, builtAt));
    } catch (error) {
      logger.error({ err: error, quoteId: of.quoteId(build) }, 'the receipt of a build was not kept');
    }
  },
});
