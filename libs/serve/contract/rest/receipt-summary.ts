import { integer, numberOrNull } from './field.js';

/** What the receipts of both families share. */
export const receiptStates = ['built', 'executed', 'expired'] as const;

/** Over every receipt that the parameters take, whatever the page. */
export class ReceiptSummaryBody {
  @integer('Receipts.', { example: 2 })
  count!: number;

  @integer('Of these executed.', { example: 1 })
  executed!: number;

  @numberOrNull('Median of `differenceBps`.', { example: -0.4 })
  medianDifferenceBps!: number | null;

  @numberOrNull('Lowest `differenceBps`.', { example: -3.1 })
  worstDifferenceBps!: number | null;
}
