import type { RouterClient } from '#libs/serve/client/router-client.js';
import type { ReceiptSummaryBody } from '#libs/serve/contract/rest/receipt-summary.js';
import { readPages } from '../list/read-pages.js';
import { evmReceipt, type ShownReceipt, solanaReceipt } from './shown-receipt.js';

export interface ReceiptList {
  readonly rows: readonly ShownReceipt[];
  readonly more: boolean;
  /** Of the whole lists, as their first pages say. */
  readonly summaries: FamilySummaries;
}

export interface FamilySummaries {
  readonly evm: ReceiptSummaryBody;
  readonly solana: ReceiptSummaryBody;
}

/** The newest `count` receipts of both families together. */
export async function loadReceipts(
  router: Pick<RouterClient, 'receipts' | 'solanaReceipts'>,
  count: number,
  signal: AbortSignal,
): Promise<ReceiptList> {
  const [evm, solana] = await Promise.all([
    readPages(count, (page) => router.receipts(page, { signal })),
    readPages(count, (page) => router.solanaReceipts(page, { signal })),
  ]);
  const rows = [...evm.rows.map(evmReceipt), ...solana.rows.map(solanaReceipt)].sort(
    (a, b) => Date.parse(b.builtAt) - Date.parse(a.builtAt),
  );
  return {
    rows: rows.slice(0, count),
    more: evm.more || solana.more || rows.length > count,
    summaries: { evm: evm.first.summary, solana: solana.first.summary },
  };
}
