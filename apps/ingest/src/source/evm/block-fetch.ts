import type { LogSlice } from '#libs/chain/chains/evm/log-batch.js';
import { quantity } from '#libs/chain/chains/evm/quantity.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { RpcPool } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import type { RpcBlock, RpcReceipt, RpcTransaction } from '#libs/chain/chains/evm/rpc-shapes.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import type { BlockProof } from '#libs/protocol/blocks.js';
import {
  checkedBlock,
  checkLogs,
  type Header,
  isComplete,
  type RawBlock,
  readEvmHeader,
  readListedHeader,
  transactionHash,
} from './raw-block.js';
import type { ReceiptProof } from './receipt-proof.js';
import { fetchReceipts, needOfReceipts } from './receipts.js';
import type { TopicSet } from './topic-set.js';

export interface BlockReading {
  readonly rpc: RpcPool;
  readonly topics: TopicSet;
  /** Null: nothing is checked against the header. */
  readonly proof: ReceiptProof | null;
  /** Whether receipts are asked for one by one where no node gives those of a block. */
  readonly everyReceipt: boolean;
  /** Whether the bloom of a header is that of the block's logs. */
  readonly blooms: boolean;
  /** Takes note of all logs of a block, wanted or not. */
  readonly heard?: (logs: LogSlice) => void;
}

/**
 * One block by its hash, with all its receipts, checked against the header: the receipts root and the bloom commit to
 * every log, so nothing can be left out, added or altered. The receipts of a block come from this node, else from another
 * that has it; where no node gives them, all logs by block hash, which the bloom alone has to answer for; without these the
 * receipts of its transactions one by one.
 */
export async function fetchBlock(
  endpoint: RpcEndpoint,
  header: Header,
  reading: BlockReading,
  source: RawBlock['source'],
  signal: AbortSignal,
): Promise<RawBlock> {
  const { rpc, everyReceipt } = reading;
  const need = needOfReceipts(header.height);
  const whole = (node: RpcEndpoint): Promise<RawBlock> => byReceipts(node, header, reading, source, signal);
  if (everyReceipt || !rpc.isLacking(endpoint, need)) {
    try {
      return await whole(endpoint);
    } catch (error) {
      if (!isMissing(error)) throw error;
      rpc.learn(endpoint, error, need);
    }
  }
  if (rpc.endpoints.some((other) => other !== endpoint && !rpc.isLacking(other, need))) {
    try {
      return await rpc.use(whole, signal, need);
    } catch (error) {
      // Another node may not have come to this block.
      if (!(error instanceof RpcError) || error.blamesNode) throw error;
    }
  }
  const logs = { what: 'logs of a block', height: header.height };
  if (!rpc.isLacking(endpoint, logs)) {
    try {
      return await byLogs(endpoint, header, reading, source, signal);
    } catch (error) {
      if (!isMissing(error)) throw error;
      rpc.learn(endpoint, error, logs);
    }
  }
  return byReceipts(endpoint, header, { ...reading, everyReceipt: true }, source, signal);
}

const isMissing = (error: unknown): error is RpcError => error instanceof RpcError && error.lacksMethod;

/** By all of its receipts, on this node. */
export async function byReceipts(
  endpoint: RpcEndpoint,
  header: Header,
  reading: BlockReading,
  source: RawBlock['source'],
  signal: AbortSignal,
): Promise<RawBlock> {
  const observedAt = Date.now();
  const { rpc, proof, everyReceipt } = reading;
  const { receipts, transactionHashes } = await fetchReceipts(rpc, endpoint, header, everyReceipt, signal);
  const checked = await proof?.check(endpoint, header, receipts, signal);
  return fromReceipts(endpoint, header, reading, transactionHashes, receipts, {
    ...{ source, observedAt, node: endpoint.index, proof: checked ?? 'none' },
  });
}

/** A block of receipts that were checked. */
export function fromReceipts(
  endpoint: RpcEndpoint,
  header: Header,
  { topics, heard }: BlockReading,
  transactionHashes: readonly string[],
  receipts: readonly RpcReceipt[],
  origin: Pick<RawBlock, 'source' | 'observedAt' | 'node' | 'proof'>,
): RawBlock {
  const all = receipts.flatMap(({ logs }) => (Array.isArray(logs) ? logs : []));
  const logs = endpoint.readLogs(all).ordered().slice();
  checkLogs(endpoint, header, transactionHashes, logs);
  if (!logs.isNumbered)
    throw endpoint.error('inconsistent-response', `logs of block ${header.height} are not numbered from 0 on`);
  heard?.(logs);
  const senders = new Map(receipts.map((receipt, index) => [index, String(receipt.from).toLowerCase()]));
  return { header, logs: logs.filter((log) => topics.has(log.topics[0])), senders, ...origin };
}

async function byLogs(
  endpoint: RpcEndpoint,
  header: Header,
  { topics, proof, blooms }: BlockReading,
  source: RawBlock['source'],
  signal: AbortSignal,
): Promise<RawBlock> {
  const observedAt = Date.now();
  const hash = `0x${header.hash}`;
  const [block, answer] = await endpoint.all<unknown>(
    [
      { method: 'eth_getBlockByHash', params: [hash, true] },
      { method: 'eth_getLogs', params: [{ blockHash: hash }] },
    ],
    signal,
  );
  const body = checkedBlock(endpoint, header, block);
  if (answer === null) throw endpoint.error('unknown-block', `no logs for block ${header.height}`);
  const logs = endpoint.readLogs(answer).ordered().slice();
  checkLogs(endpoint, header, body.transactions.map(transactionHash), logs);
  let checked: BlockProof = 'none';
  if (proof !== null && blooms) {
    if (!isComplete(header, logs))
      throw endpoint.error('incomplete', `logs of block ${header.height} do not match its bloom`);
    checked = 'sampled';
  }
  const senders = new Map<number, string>();
  body.transactions.forEach((transaction, index) => {
    senders.set(index, (transaction as RpcTransaction).from.toLowerCase());
  });
  const wanted = logs.filter((log) => topics.has(log.topics[0]));
  return { header, logs: wanted, senders, source, observedAt, node: endpoint.index, proof: checked };
}

function known(endpoint: RpcEndpoint, block: unknown): RpcBlock {
  if (typeof block !== 'object' || block === null) throw endpoint.error('unknown-block', 'block not found by its hash');
  return block as RpcBlock;
}

/** A header by hash; `unknown-block` when the node does not have it (any more). */
export async function fetchHeader(endpoint: RpcEndpoint, hash: string, signal: AbortSignal): Promise<Header> {
  const block = await endpoint.call<RpcBlock | null>('eth_getBlockByHash', [`0x${hash}`, false], signal);
  const header = readListedHeader(endpoint, known(endpoint, block));
  if (header.hash !== hash)
    throw endpoint.error('inconsistent-response', 'another block than the one asked for by hash');
  return header;
}

export async function fetchGenesis(endpoint: RpcEndpoint, signal: AbortSignal): Promise<Header> {
  const [genesis] = await fetchHeaders(endpoint, [0], signal);
  if (!genesis) throw endpoint.error('server', 'no genesis block');
  return genesis;
}

/** Headers by height, null where the node has none. */
export async function fetchHeaders(
  endpoint: RpcEndpoint,
  heights: readonly number[],
  signal: AbortSignal,
): Promise<(Header | null)[]> {
  const blocks = await endpoint.all<RpcBlock | null>(
    heights.map((height) => ({ method: 'eth_getBlockByNumber', params: [quantity(height), false] })),
    signal,
  );
  return blocks.map((block, n) => {
    if (block === null) return null;
    const header = readListedHeader(endpoint, block);
    if (header.height !== heights[n])
      throw endpoint.error('inconsistent-response', `another block than the one asked for at ${heights[n]}`);
    return header;
  });
}

export interface Tip {
  latest: Header;
  /** The chain's own finality; null where the node was not asked for it, or does not say. */
  finalizedHeight: number | null;
}

export interface TipQuestion {
  readonly finalized: boolean;
  /** Hash of the block that is probably the latest one: its receipts are asked for in the same list. */
  readonly expected: string | null;
}

/** The node's newest block. What is asked besides comes as far as the node has it. */
export async function fetchTip(
  endpoint: RpcEndpoint,
  { finalized, expected }: TipQuestion,
  signal: AbortSignal,
): Promise<Tip> {
  const latest = { method: 'eth_getBlockByNumber', params: ['latest', false] };
  const receipts = { method: 'eth_getBlockReceipts', params: [`0x${expected}`] };
  const final = { method: 'eth_getBlockByNumber', params: ['finalized', false] };
  const calls = [latest, ...(expected === null ? [] : [receipts]), ...(finalized ? [final] : [])];
  const answers = await endpoint.batch(calls, signal);
  const [answer] = answers;
  if (answer!.error) throw answer!.error;
  if (typeof answer!.result !== 'object' || answer!.result === null) throw endpoint.error('server', 'no latest block');
  const header = readListedHeader(endpoint, answer!.result as RpcBlock);
  // A node before finality, or without the tag, answers null or an error: then only the window seals.
  const finalBlock = finalized ? (answers.at(-1)!.result as RpcBlock | null | undefined) : null;
  const finalizedHeight = finalBlock ? readEvmHeader(endpoint, finalBlock).height : null;
  const isExpected = header.hash === expected;
  const body = { ...header.body, receipts: isExpected ? (answers[1]!.result ?? null) : null };
  return { latest: { ...header, body }, finalizedHeight };
}
