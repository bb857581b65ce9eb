import { payload } from '../schema/property.js';
import { integer, numberOrNull } from './field.js';

/** What the receipts of both families share. */
export const receiptStates = ['built', 'executed', 'expired'] as const;

/** Over every receipt that the parameters take, whatever the page. */
export class ReceiptSummaryBody extends payload({
  count: integer('Receipts.', { example: 2 }),
  executed: integer('Of these executed.', { example: 1 }),
  medianDifferenceBps: numberOrNull('Median of `differenceBps`.', { example: -0.4 }),
  worstDifferenceBps: numberOrNull('Lowest `differenceBps`.', { example: -3.1 }),
}) {}
