import type { RouterClient } from '#libs/client/router-client.js';
import type { EvmReceipt, EvmReceiptSummary } from '#libs/protocol/rest/evm/receipt-body.js';

const LARGEST_PAGE = 200;

export interface ReceiptList {
  readonly rows: readonly EvmReceipt[];
  readonly more: boolean;
  /** Of the whole list, as its first page says. */
  readonly summary: EvmReceiptSummary;
}

/** The newest `count` receipts: the pages after the first follow its cursor. */
export async function loadReceipts(
  router: Pick<RouterClient, 'receipts'>,
  count: number,
  signal: AbortSignal,
): Promise<ReceiptList> {
  const rows: EvmReceipt[] = [];
  let summary: EvmReceiptSummary | null = null;
  let cursor: string | undefined;
  for (;;) {
    const answer = await router.receipts({ limit: Math.min(LARGEST_PAGE, count - rows.length), cursor }, { signal });
    summary ??= answer.summary;
    rows.push(...answer.data);
    if (answer.next === null || rows.length >= count) return { rows, more: answer.next !== null, summary };
    cursor = answer.next;
  }
}
