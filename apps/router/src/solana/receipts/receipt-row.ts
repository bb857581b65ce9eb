import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import type { QuoteReceipt } from '#libs/protocol/receipts.js';
import type { SolExecution, SolReceipt } from '#libs/protocol/rest/solana/receipt-body.js';
import { differencesOf } from '../../receipts/receipt-figures.js';

/** A receipt as the route shows it. */
export function receiptRow(receipt: QuoteReceipt, { ids }: ChainSpec): SolReceipt {
  const address = ids.formatAddress;
  return {
    id: receipt.id,
    quoteId: receipt.quoteId,
    chain: receipt.chain,
    wallet: address(receipt.wallet),
    recipient: address(receipt.recipient),
    inputMint: address(receipt.inputMint),
    outputMint: address(receipt.outputMint),
    swapMode: receipt.exact === 'in' ? 'ExactIn' : 'ExactOut',
    inAmount: receipt.inAmount.toString(),
    quotedOut: receipt.quotedOut.toString(),
    simulatedIn: receipt.simulatedIn.toString(),
    simulatedOut: receipt.simulatedOut.toString(),
    otherAmountThreshold: receipt.threshold.toString(),
    slippageBps: receipt.slippageBps,
    platformFeeBps: receipt.feeBps === 0 ? null : receipt.feeBps,
    dex: receipt.dex,
    venueId: receipt.venueId,
    legs: receipt.legs.map(({ shareBps, amount, hops }) => ({
      bps: shareBps,
      amount: amount.toString(),
      steps: hops.map(({ pool, dex }) => ({ ammKey: address(pool), label: dex })),
    })),
    quoteSlot: receipt.quoteBlock.number,
    buildSlot: receipt.buildBlock.number,
    builtAt: new Date(receipt.builtAt).toISOString(),
    deadline: new Date(receipt.deadline).toISOString(),
    lastSlot: receipt.lastHeight,
    state: receipt.state,
    executed: executionRow(receipt, ids),
  };
}

function executionRow(receipt: QuoteReceipt, ids: ChainSpec['ids']): SolExecution | null {
  const { executed } = receipt;
  if (executed === null) return null;
  return {
    tx: ids.formatTx(executed.tx),
    slot: executed.block,
    blockHash: ids.formatBlockHash(executed.blockHash),
    time: new Date(executed.time).toISOString(),
    inAmount: executed.inAmount.toString(),
    outAmount: executed.outAmount.toString(),
    ...differencesOf(receipt),
    slotsLater: executed.block - receipt.buildBlock.number,
  };
}
