import type { RouterClient } from '#libs/serve/client/router-client.js';
import type { ReceiptSummaryBody } from '#libs/serve/contract/rest/receipt-summary.js';
import { evmReceipt, type ShownReceipt, solanaReceipt } from './shown-receipt.js';

const LARGEST_PAGE = 200;

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
    newest(count, (page) => router.receipts(page, { signal })),
    newest(count, (page) => router.solanaReceipts(page, { signal })),
  ]);
  const rows = [...evm.rows.map(evmReceipt), ...solana.rows.map(solanaReceipt)].sort(
    (a, b) => Date.parse(b.builtAt) - Date.parse(a.builtAt),
  );
  return {
    rows: rows.slice(0, count),
    more: evm.more || solana.more || rows.length > count,
    summaries: { evm: evm.summary, solana: solana.summary },
  };
}

interface Page<Row> {
  data: Row[];
  next: string | null;
  summary: ReceiptSummaryBody;
}

/** The pages after the first follow its cursor. */
async function newest<Row>(
  count: number,
  ask: (page: { limit: number; cursor?: string }) => Promise<Page<Row>>,
): Promise<{ rows: Row[]; more: boolean; summary: ReceiptSummaryBody }> {
  const rows: Row[] = [];
  let summary: ReceiptSummaryBody | null = null;
  let cursor: string | undefined;
  for (;;) {
    const answer = await ask({ limit: Math.min(LARGEST_PAGE, count - rows.length), cursor });
    summary ??= answer.summary;
    rows.push(...answer.data);
    if (answer.next === null || rows.length >= count) return { rows, more: answer.next !== null, summary };
    cursor = answer.next;
  }
}
