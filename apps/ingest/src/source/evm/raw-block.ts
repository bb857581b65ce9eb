import type { LogSlice } from '#libs/chain/chains/evm/log-batch.js';
import { bloomCovers, logsBloom } from '#libs/chain/chains/evm/proof/bloom.js';
import { headerHash } from '#libs/chain/chains/evm/proof/header-hash.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { RpcBlock } from '#libs/chain/chains/evm/rpc-shapes.js';
import { idOf } from '#libs/chain/chains/evm/words.js';
import type { BlockRef } from '#libs/chain/chains/source-port.js';
import type { BlockGroup, BlockProof } from '#libs/protocol/blocks.js';

/** A header as a node answered it, checked for shape. */
export interface Header extends BlockRef {
  readonly logsBloom: string;
  readonly receiptsRoot: string;
  /** What else the node gave of the block; only at the head, where the block is read next. */
  readonly body?: BlockBody;
}

/** What came together with a header, not checked against it. */
export interface BlockBody {
  /** Place of the node that gave it. */
  readonly node: number;
  readonly transactionHashes: readonly string[];
  /** Its answer for the receipts, where it was asked in the same list. */
  readonly receipts: unknown;
}

/** A block whose logs are checked against its header and are of the subscribed topics only, in log order. */
export interface RawBlock {
  readonly header: Header;
  readonly logs: LogSlice;
  /** Sender of the transaction at an index, 0x-prefixed. */
  readonly senders: ReadonlyMap<number, string>;
  readonly source: BlockGroup['source'];
  readonly observedAt: number;
  /** Place of the node that gave its logs. */
  readonly node: number;
  readonly proof: BlockProof;
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
    Array.isArray(block.transactions) &&
    block.transactions.every(isNamed);
  if (!wellFormed) throw endpoint.error('invalid', 'a block without a proper header');
  // Where a field of a later fork leaves the hash open, nothing is said.
  const own = endpoint.hashesHeaders ? headerHash(block as unknown as Record<string, unknown>) : null;
  if (own !== null && own !== hash.toLowerCase()) {
    throw endpoint.error('inconsistent-response', `the header of block ${Number(number)} does not have its hash`);
  }
  return {
    height: Number(number),
    hash: idOf(hash),
    parentHash: idOf(parentHash),
    time: Number(timestamp) * 1000,
    logsBloom: String(logsBloom),
    receiptsRoot: String(receiptsRoot),
  };
}

/** A header with the transactions that came with it. */
export function readListedHeader(endpoint: RpcEndpoint, block: RpcBlock): Header & { readonly body: BlockBody } {
  const header = readEvmHeader(endpoint, block);
  const transactionHashes = block.transactions.map(transactionHash);
  return { ...header, body: { node: endpoint.index, transactionHashes, receipts: null } };
}

/** A block that was asked for by its hash. */
export function checkedBlock(endpoint: RpcEndpoint, header: Header, block: unknown): RpcBlock {
  if (typeof block !== 'object' || block === null)
    throw endpoint.error('unknown-block', `block ${header.height} not found by its hash`);
  const again = readEvmHeader(endpoint, block as RpcBlock);
  if (again.hash !== header.hash || again.height !== header.height || again.parentHash !== header.parentHash) {
    throw endpoint.error('inconsistent-response', `another block than the one asked for at height ${header.height}`);
  }
  return block as RpcBlock;
}

/** Blocks that one node gives of a range link to each other. */
export function checkLink(endpoint: RpcEndpoint, header: Header, previous: Header | null | undefined): void {
  if (previous && header.parentHash !== previous.hash) {
    throw endpoint.error('inconsistent-response', `block ${header.height} does not follow block ${previous.height}`);
  }
}

/**
 * Whether these are all logs of the block: they are numbered from 0 on without a gap, and make the bloom that the header
 * has. Only a tail that is cut off escapes this, and only where each of its addresses and topics is in another log too.
 */
export function isComplete({ logsBloom: bloom }: Header, logs: LogSlice): boolean {
  return logs.isNumbered && logsBloom(logs) === bloom.toLowerCase();
}

/** Whether the header's bloom has room for these logs: one that has none was invented. */
export function mayHave(header: Header, logs: LogSlice): boolean {
  return bloomCovers(header.logsBloom, logs);
}

/**
 * Logs of one block must name that block, come in order, and belong to its transactions. Throws `inconsistent-response` otherwise: such an
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

/** Whether it has a hash: a node may give anything. */
const isNamed = (transaction: unknown): boolean =>
  typeof (typeof transaction === 'object' ? (transaction as { hash?: unknown } | null)?.hash : transaction) ===
  'string';

export function transactionHash(transaction: RpcBlock['transactions'][number]): string {
  return (typeof transaction === 'string' ? transaction : transaction.hash).toLowerCase();
}
