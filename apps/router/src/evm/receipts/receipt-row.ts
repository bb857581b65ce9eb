import type { Hex } from '#libs/core/ids.js';
import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import { poolsOf, type QuoteReceipt, type ReceiptBlock } from '#libs/protocol/receipts.js';
import type { EvmExecution, EvmReceipt } from '#libs/protocol/rest/evm/receipt-body.js';
import { differencesOf } from '../../receipts/receipt-figures.js';

/** A receipt as the route shows it. */
export function receiptRow(receipt: QuoteReceipt, { ids }: ChainSpec): EvmReceipt {
  const address = (id: Hex) => ids.formatAddress(id);
  const block = ({ number, hash }: ReceiptBlock) => ({ number, hash: ids.formatBlockHash(hash!) });
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
    floor: receipt.threshold.toString(),
    slippageBps: receipt.slippageBps,
    dex: receipt.dex,
    venueId: receipt.venueId,
    pools: poolsOf(receipt).map(address),
    quoteBlock: block(receipt.quoteBlock),
    buildBlock: block(receipt.buildBlock),
    builtAt: new Date(receipt.builtAt).toISOString(),
    deadline: new Date(receipt.deadline).toISOString(),
    state: receipt.state,
    executed: executionRow(receipt, ids),
  };
}

function executionRow(receipt: QuoteReceipt, ids: ChainSpec['ids']): EvmExecution | null {
  const { executed } = receipt;
  if (executed === null) return null;
  return {
    tx: ids.formatTx(executed.tx),
    block: executed.block,
    blockHash: ids.formatBlockHash(executed.blockHash),
    time: new Date(executed.time).toISOString(),
    outAmount: executed.outAmount.toString(),
    ...differencesOf(receipt),
    blocksLater: executed.block - receipt.buildBlock.number,
  };
}
