import { toDisplayNumber } from '#libs/core/money.js';
import { type QuoteReceipt, receiptDifference } from '#libs/protocol/receipts.js';
import type { ReceiptSummaryBody } from '#libs/protocol/rest/receipt-summary.js';
import type { ReceiptSummary } from './receipt-list.js';

/** Figures of receipts as both families' routes show them: basis points, at two decimals. */
export function summaryRow(summary: ReceiptSummary): ReceiptSummaryBody {
  const bps = (hundredths: number | null) => (hundredths === null ? null : hundredths / 100);
  return {
    count: summary.count,
    executed: summary.executed,
    medianDifferenceBps: bps(summary.medianDifference),
    worstDifferenceBps: bps(summary.worstDifference),
  };
}

/** Against the quote and against the simulation. */
export function differencesOf(receipt: QuoteReceipt): {
  differenceBps: number | null;
  versusSimulationBps: number | null;
} {
  const versus = (promise: 'quote' | 'simulation') => {
    const difference = receiptDifference(receipt, promise);
    return difference === null ? null : toDisplayNumber(difference, 2);
  };
  return { differenceBps: versus('quote'), versusSimulationBps: versus('simulation') };
}
