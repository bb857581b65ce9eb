import { quantity } from '#libs/chain/chains/evm/quantity.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { RpcBlock } from '#libs/chain/chains/evm/rpc-shapes.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import { type BlockReading, byReceipts, fetchBlock, fetchHeaders, fromReceipts } from './block-fetch.js';
import { missingBlock } from './missing-block.js';
import { checkLink, type Header, type RawBlock, readEvmHeader, transactionHash } from './raw-block.js';
import { checkedReceipts, needOfReceipts } from './receipts.js';

/**
 * A range of history by the receipts of each block, several blocks in one list. Invariant: the headers link to each other, and
 * every block is proven by the receipts root of its header.
 */
export async function fetchByReceipts(
  endpoint: RpcEndpoint,
  from: number,
  to: number,
  reading: BlockReading,
  signal: AbortSignal,
): Promise<RawBlock[]> {
  const parts = await endpoint.inParts('receipt blocks', from, to, (first, last) =>
    fetchPart(endpoint, first, last, reading, signal),
  );
  const blocks = parts.flat();
  for (const [n, { header }] of blocks.entries()) checkLink(endpoint, header, blocks[n - 1]?.header);
  return blocks;
}

/**
 * The same on any node: one that does not give the receipts of a block gives those of its transactions, one by one. A node
 * without either lacks what is asked for.
 */
export function fetchProven(
  endpoint: RpcEndpoint,
  from: number,
  to: number,
  reading: BlockReading,
  signal: AbortSignal,
): Promise<RawBlock[]> {
  return reading.rpc.isLacking(endpoint, needOfReceipts(from))
    ? fetchEach(endpoint, from, to, (header) => withReceipts(byReceipts, endpoint, header, reading, signal), signal)
    : fetchByReceipts(endpoint, from, to, reading, signal);
}

/** Each block by the receipts of its transactions, one by one, or as this node has it. */
export function fetchSingly(
  endpoint: RpcEndpoint,
  from: number,
  to: number,
  reading: BlockReading,
  signal: AbortSignal,
): Promise<RawBlock[]> {
  return fetchEach(endpoint, from, to, (header) => fetchWhole(endpoint, header, reading, signal), signal);
}

async function fetchEach(
  endpoint: RpcEndpoint,
  from: number,
  to: number,
  one: (header: Header) => Promise<RawBlock>,
  signal: AbortSignal,
): Promise<RawBlock[]> {
  const heights = Array.from({ length: to - from + 1 }, (_, n) => from + n);
  const blocks: RawBlock[] = [];
  for (const [n, header] of (await fetchHeaders(endpoint, heights, signal)).entries()) {
    if (header === null) throw await missingBlock(endpoint, from + n, 'block', signal);
    checkLink(endpoint, header, blocks.at(-1)?.header);
    blocks.push(await one(header));
  }
  return blocks;
}

/** A block by all of its receipts, or as this node has it. */
export const fetchWhole = (
  endpoint: RpcEndpoint,
  header: Header,
  reading: BlockReading,
  signal: AbortSignal,
): Promise<RawBlock> => withReceipts(fetchBlock, endpoint, header, reading, signal);

/** A node that has a block and not its receipts has lost them. */
async function withReceipts(
  read: typeof fetchBlock,
  endpoint: RpcEndpoint,
  header: Header,
  reading: BlockReading,
  signal: AbortSignal,
): Promise<RawBlock> {
  try {
    return await read(endpoint, header, { ...reading, everyReceipt: true }, 'history', signal);
  } catch (error) {
    if (!(error instanceof RpcError) || error.kind !== 'unknown-block') throw error;
    throw await missingBlock(endpoint, header.height, 'receipts', signal);
  }
}

async function fetchPart(
  endpoint: RpcEndpoint,
  first: number,
  last: number,
  reading: BlockReading,
  signal: AbortSignal,
): Promise<RawBlock[]> {
  const observedAt = Date.now();
  const heights = Array.from({ length: last - first + 1 }, (_, n) => quantity(first + n));
  const answers = await endpoint.all<unknown>(
    [
      ...heights.map((height) => ({ method: 'eth_getBlockByNumber', params: [height, false] })),
      ...heights.map((height) => ({ method: 'eth_getBlockReceipts', params: [height] })),
    ],
    signal,
  );
  const blocks: RawBlock[] = [];
  for (const [n] of heights.entries()) {
    const block = answers[n] as RpcBlock | null;
    if (block === null) throw await missingBlock(endpoint, first + n, 'block', signal);
    const header: Header = readEvmHeader(endpoint, block);
    if (header.height !== first + n)
      throw endpoint.error('inconsistent-response', `another block than the one asked for at ${first + n}`);
    const answer = answers[heights.length + n];
    if (answer === null) throw await missingBlock(endpoint, header.height, 'receipts', signal);
    const hashes = block.transactions.map(transactionHash);
    const receipts = checkedReceipts(endpoint, header, hashes, answer);
    const checked = await reading.proof?.check(endpoint, header, receipts, signal);
    const origin = {
      source: 'history' as const,
      observedAt,
      node: endpoint.index,
      proof: checked ?? ('none' as const),
    };
    blocks.push(fromReceipts(endpoint, header, reading, hashes, receipts, origin));
  }
  return blocks;
}
