import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { RpcPool } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import type { RpcReceipt } from '#libs/chain/chains/evm/rpc-shapes.js';
import type { Need } from '#libs/chain/chains/rpc/node-lacks.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import { checkedBlock, type Header, transactionHash } from './raw-block.js';

/** The receipts of a block, and the hashes of its transactions, in their order. */
export interface BlockReceipts {
  readonly receipts: readonly RpcReceipt[];
  readonly transactionHashes: readonly string[];
}

/** Receipts of a whole block in one answer: nodes that lack that are remembered by it. */
export const needOfReceipts = (height: number): Need => ({ what: 'receipts of a block', height });

/** Receipts of transactions, one by one, which nearly every node has. */
export const needOfEachReceipt = (height: number): Need => ({ what: 'receipts of transactions', height });

/**
 * All receipts of a block by its hash: in one answer where the node has that, else one for each transaction, which every
 * node has. Invariant: they are those of the block's transactions, in order. Whether they are true is for the receipts root.
 */
export async function fetchReceipts(
  rpc: RpcPool,
  endpoint: RpcEndpoint,
  header: Header,
  /** Whether they are asked for one by one where the node does not give those of a block; else that is thrown. */
  oneByOne: boolean,
  signal: AbortSignal,
): Promise<BlockReceipts> {
  const hash = `0x${header.hash}`;
  const need = needOfReceipts(header.height);
  if (!rpc.isLacking(endpoint, need)) {
    try {
      const listed = await receiptsAsListed(endpoint, header, signal);
      if (listed !== null) return listed;
      const [block, receipts] = await endpoint.all<unknown>(
        [
          { method: 'eth_getBlockByHash', params: [hash, false] },
          { method: 'eth_getBlockReceipts', params: [hash] },
        ],
        signal,
      );
      const transactionHashes = hashesOf(endpoint, header, block);
      return { receipts: checkedReceipts(endpoint, header, transactionHashes, receipts), transactionHashes };
    } catch (error) {
      if (!oneByOne || !(error instanceof RpcError) || !error.lacksMethod) throw error;
      rpc.learn(endpoint, error, need);
    }
  }
  const transactionHashes = hashesOf(
    endpoint,
    header,
    await endpoint.call('eth_getBlockByHash', [hash, false], signal),
  );
  const calls = transactionHashes.map((transaction) => ({
    method: 'eth_getTransactionReceipt',
    params: [transaction],
  }));
  const receipts = await endpoint.all<unknown>(calls, signal);
  return { receipts: checkedReceipts(endpoint, header, transactionHashes, receipts), transactionHashes };
}

/**
 * Receipts alone, where this node gave the hashes of the block's transactions with its header. Null where it did not, or where
 * the receipts are not those of these transactions: then the block is asked for again before the node is blamed.
 */
async function receiptsAsListed(
  endpoint: RpcEndpoint,
  header: Header,
  signal: AbortSignal,
): Promise<BlockReceipts | null> {
  const { body } = header;
  if (body?.node !== endpoint.index) return null;
  const { transactionHashes } = body;
  const answer = body.receipts ?? (await endpoint.call('eth_getBlockReceipts', [`0x${header.hash}`], signal));
  return areReceiptsOf(answer, transactionHashes) ? { receipts: answer, transactionHashes } : null;
}

const hashesOf = (endpoint: RpcEndpoint, header: Header, block: unknown): string[] =>
  checkedBlock(endpoint, header, block).transactions.map(transactionHash);

/** Receipts that are those of the block's transactions, in order. */
export function checkedReceipts(
  endpoint: RpcEndpoint,
  header: Header,
  transactionHashes: readonly string[],
  answer: unknown,
): readonly RpcReceipt[] {
  if (answer === null || (Array.isArray(answer) && answer.includes(null)))
    throw endpoint.error('unknown-block', `no receipts for block ${header.height}`);
  if (!Array.isArray(answer)) throw endpoint.error('invalid', `receipts of block ${header.height} that are no list`);
  if (areReceiptsOf(answer, transactionHashes)) return answer;
  throw endpoint.error('inconsistent-response', `receipts of block ${header.height} are not those of its transactions`);
}

const areReceiptsOf = (answer: unknown, transactionHashes: readonly string[]): answer is readonly RpcReceipt[] =>
  Array.isArray(answer) &&
  answer.length === transactionHashes.length &&
  answer.every((receipt, n) => isOf(receipt, transactionHashes[n]!));

const isOf = (receipt: RpcReceipt, hash: string): boolean =>
  typeof receipt === 'object' && receipt !== null && String(receipt.transactionHash).toLowerCase() === hash;
