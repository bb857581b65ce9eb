import type { LogSlice } from '#libs/chain/chains/evm/log-batch.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { RpcBlock } from '#libs/chain/chains/evm/rpc-shapes.js';
import { idOf } from '#libs/chain/chains/evm/words.js';
import type { BlockRef } from '#libs/chain/chains/source-port.js';
import type { BlockGroup } from '#libs/protocol/blocks.js';

/** A header as a node answered it, checked for shape. */
export interface Header extends BlockRef {
  readonly logsBloom: string;
  readonly receiptsRoot: string;
}

/** A block whose logs are checked against its header and are of the subscribed topics only, in log order. */
export interface RawBlock {
  readonly header: Header;
  readonly logs: LogSlice;
  /** Sender of the transaction at an index, 0x-prefixed. */
  readonly senders: ReadonlyMap<number, string>;
  readonly source: BlockGroup['source'];
  readonly observedAt: number;
}

const HASH = /^0x[0-9a-f]{64}$/i;
const QUANTITY = /^0x[0-9a-f]{1,13}$/i;

export function readEvmHeader(endpoint: RpcEndpoint, block: RpcBlock): Header {
  const { hash, parentHash, number, timestamp, logsBloom, receiptsRoot } = block;
  const wellFormed =
    HASH.test(hash) &&
    HASH.test(parentHash) &&
    QUANTITY.test(number) &&
    QUANTITY.test(timestamp) &&
    Array.isArray(block.transactions);
  if (!wellFormed) throw endpoint.error('invalid', 'a block without a proper header');
  return {
    height: Number(number),
    hash: idOf(hash),
    parentHash: idOf(parentHash),
    time: Number(timestamp) * 1000,
    logsBloom: String(logsBloom),
    receiptsRoot: String(receiptsRoot),
  };
}

/**
 * Logs of one block must name that block, come in order, and belong to its transactions. Throws `lie` otherwise: such an
 * answer contradicts itself.
 */
export function checkLogs(
  endpoint: RpcEndpoint,
  header: Header,
  transactionHashes: readonly string[],
  logs: LogSlice,
): void {
  const hash = `0x${header.hash}`;
  let previous = -1;
  logs.each((log) => {
    const ordinal = log.logIndex;
    if (log.removed) throw endpoint.error('inconsistent-response', `a removed log in block ${header.height}`);
    if (log.blockHash !== hash)
      throw endpoint.error('inconsistent-response', `logs of another block at height ${header.height}`);
    if (!(ordinal > previous))
      throw endpoint.error('inconsistent-response', `logs out of order in block ${header.height}`);
    if (transactionHashes[log.transactionIndex] !== log.transactionHash) {
      throw endpoint.error('inconsistent-response', `a log of a foreign transaction in block ${header.height}`);
    }
    previous = ordinal;
  });
}

export function transactionHash(transaction: RpcBlock['transactions'][number]): string {
  return typeof transaction === 'string' ? transaction : transaction.hash;
}
