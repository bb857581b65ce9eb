import { randomUUID } from 'node:crypto';
import type { FactsPosition, QuoteReceipt } from '#libs/protocol/receipts.js';

/** What every receipt begins with: a new id, and that nothing of it was seen on chain yet. */
export const newReceipt = (account: string | null, builtAfter: FactsPosition, builtAt: number) =>
  ({
    id: randomUUID(),
    ...{ account, builtAt, builtAfter, asOf: builtAfter },
    ...{ state: 'built', decidedAt: null, final: false, executed: null },
  }) satisfies Partial<QuoteReceipt>;
