import type { Hex } from '#libs/core/ids.js';
import { toDisplayNumber } from '#libs/core/money.js';
import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import { differenceHundredths, type QuoteReceipt } from '#libs/protocol/receipts.js';
import type { EvmExecution, EvmReceipt, EvmReceiptSummary } from '#libs/protocol/rest/evm/receipt-body.js';
import type { ReceiptSummary } from '../../receipts/receipt-list.js';

/** A receipt as the route shows it. */
export function receiptRow(receipt: QuoteReceipt, { ids }: ChainSpec): EvmReceipt {
  const address = (id: Hex) => ids.formatAddress(id);
  const block = ({ number, hash }: { number: number; hash: Hex }) => ({ number, hash: ids.formatBlockHash(hash) });
  return {
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
    floor: receipt.floor.toString(),
    slippageBps: receipt.slippageBps,
    dex: receipt.dex,
    venueId: receipt.venueId,
    pools: receipt.hops.map(address),
    quoteBlock: block(receipt.quoteBlock),
    buildBlock: block(receipt.buildBlock),
    builtAt: new Date(receipt.builtAt).toISOString(),
    deadline: new Date(receipt.deadline).toISOString(),
    state: receipt.state,
    executed: executionRow(receipt, ids),
  };
}

export function summaryRow(summary: ReceiptSummary): EvmReceiptSummary {
  const bps = (hundredths: number | null) => (hundredths === null ? null : hundredths / 100);
  return {
    count: summary.count,
    executed: summary.executed,
    medianDifferenceBps: bps(summary.medianDifference),
    worstDifferenceBps: bps(summary.worstDifference),
  };
}

function executionRow(receipt: QuoteReceipt, ids: ChainSpec['ids']): EvmExecution | null {
  const { executed } = receipt;
  if (executed === null) return null;
  const versus = (promised: bigint) => {
    const difference = differenceHundredths(executed.outAmount, promised);
    return difference === null ? null : toDisplayNumber(difference, 2);
  };
  return {
    tx: ids.formatTx(executed.tx),
    block: executed.block,
    blockHash: ids.formatBlockHash(executed.blockHash),
    time: new Date(executed.time).toISOString(),
    outAmount: executed.outAmount.toString(),
    differenceBps: versus(receipt.quotedOut),
    versusSimulationBps: versus(receipt.simulatedOut),
    blocksLater: executed.block - receipt.buildBlock.number,
  };
}
