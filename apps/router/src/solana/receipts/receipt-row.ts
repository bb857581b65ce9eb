import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { QuoteReceipt } from '#libs/protocol/receipts.js';
import type { SolReceipt } from '#libs/serve/contract/rest/solana/receipt-body.js';
import { sharedExecution, sharedRow } from '../../receipts/receipt-figures.js';

/** A receipt as the route shows it. */
export function receiptRow(receipt: QuoteReceipt, { ids }: ChainSpec): SolReceipt {
  const { executed, buildBlock } = receipt;
  return {
    ...sharedRow(receipt, ids),
    swapMode: receipt.exact === 'in' ? 'ExactIn' : 'ExactOut',
    simulatedIn: receipt.simulatedIn.toString(),
    otherAmountThreshold: receipt.threshold.toString(),
    platformFeeBps: receipt.feeBps === 0 ? null : receipt.feeBps,
    legs: receipt.legs.map(({ shareBps, amount, hops }) => ({
      bps: shareBps,
      amount: amount.toString(),
      steps: hops.map(({ pool, dex }) => ({ ammKey: ids.formatAddress(pool), label: dex })),
    })),
    quoteSlot: receipt.quoteBlock.number,
    buildSlot: buildBlock.number,
    lastSlot: receipt.lastHeight,
    executed: executed && {
      ...sharedExecution(receipt, executed, ids),
      slot: executed.block,
      inAmount: executed.inAmount.toString(),
      slotsLater: executed.block - buildBlock.number,
    },
  };
}
