import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { toDisplayNumber } from '#libs/core/money.js';
import { type Execution, type QuoteReceipt, receiptDifference } from '#libs/protocol/receipts.js';
import type { ReceiptSummaryBody } from '#libs/serve/contract/rest/receipt-summary.js';
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

/** What the rows of both families have. */
export const sharedRow = (receipt: QuoteReceipt, { formatAddress: address }: ChainSpec['ids']) => ({
  id: receipt.id,
  quoteId: receipt.quoteId,
  chain: receipt.chain,
  wallet: address(receipt.wallet),
  recipient: address(receipt.recipient),
  inputMint: address(receipt.inputMint),
  outputMint: address(receipt.outputMint),
  inAmount: receipt.inAmount.toString(),
  quotedOut: receipt.quotedOut.toString(),
  simulatedOut: receipt.simulatedOut.toString(),
  slippageBps: receipt.slippageBps,
  dex: receipt.dex,
  venueId: receipt.venueId,
  builtAt: new Date(receipt.builtAt).toISOString(),
  deadline: new Date(receipt.deadline).toISOString(),
  state: receipt.state,
});

/** The same of their executions. */
export const sharedExecution = (receipt: QuoteReceipt, executed: Execution, ids: ChainSpec['ids']) => ({
  tx: ids.formatTx(executed.tx),
  blockHash: ids.formatBlockHash(executed.blockHash),
  time: new Date(executed.time).toISOString(),
  outAmount: executed.outAmount.toString(),
  ...differencesOf(receipt),
});

/** Against the quote and against the simulation. */
function differencesOf(receipt: QuoteReceipt): {
  differenceBps: number | null;
  versusSimulationBps: number | null;
} {
  const versus = (promise: 'quote' | 'simulation') => {
    const difference = receiptDifference(receipt, promise);
    return difference === null ? null : toDisplayNumber(difference, 2);
  };
  return { differenceBps: versus('quote'), versusSimulationBps: versus('simulation') };
}
