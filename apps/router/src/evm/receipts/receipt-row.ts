import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { poolsOf, type QuoteReceipt, type ReceiptBlock } from '#libs/protocol/receipts.js';
import type { EvmReceipt } from '#libs/serve/contract/rest/evm/receipt-body.js';
import { sharedExecution, sharedRow } from '../../receipts/receipt-figures.js';

/** A receipt as the route shows it. */
export function receiptRow(receipt: QuoteReceipt, { ids }: ChainSpec): EvmReceipt {
  const { executed, buildBlock } = receipt;
  const block = ({ number, hash }: ReceiptBlock) => ({ number, hash: ids.formatBlockHash(hash!) });
  return {
    ...sharedRow(receipt, ids),
    floor: receipt.threshold.toString(),
    pools: poolsOf(receipt).map((pool) => ids.formatAddress(pool)),
    quoteBlock: block(receipt.quoteBlock),
    buildBlock: block(buildBlock),
    executed: executed && {
      ...sharedExecution(receipt, executed, ids),
      block: executed.block,
      blocksLater: executed.block - buildBlock.number,
    },
  };
}
