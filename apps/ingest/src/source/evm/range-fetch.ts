import { type EvmLog, type LogBatch, LogSlice } from '#libs/chain/chains/evm/log-batch.js';
import { bloomCovers } from '#libs/chain/chains/evm/proof/bloom.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { RpcBlock, RpcReceipt, RpcTransaction } from '#libs/chain/chains/evm/rpc-shapes.js';
import { checkLogs, type Header, type RawBlock, readEvmHeader, transactionHash } from './raw-block.js';
import type { ReceiptProof } from './receipt-proof.js';
import type { TopicSet } from './topic-set.js';

/**
 * A range of history: logs by topic in one question, blocks with their transactions in another. Checked: the headers
 * link to each other, every log names the header of its height and a transaction in it. Where the two answers
 * contradict each other the node is blamed and nothing is kept.
 */
export async function fetchRange(
  endpoint: RpcEndpoint,
  from: number,
  to: number,
  topics: TopicSet,
  signal: AbortSignal,
): Promise<RawBlock[]> {
  const observedAt = Date.now();
  const heights = Array.from({ length: to - from + 1 }, (_, n) => from + n);
  const filter = { fromBlock: quantity(from), toBlock: quantity(to), topics: [topics.all] };
  const [logs, blocks] = await Promise.all([
    endpoint.logs(filter, signal),
    endpoint.all<RpcBlock | null>(
      heights.map((height) => ({ method: 'eth_getBlockByNumber', params: [quantity(height), true] })),
      signal,
    ),
  ]);
  const byHeight = groupByHeight(endpoint, logs, from, to);
  const raw: RawBlock[] = [];
  let previous: Header | null = null;
  for (const [n, block] of blocks.entries()) {
    if (block === null) throw endpoint.error('server', `no block at height ${from + n}`);
    const header = readEvmHeader(endpoint, block);
    if (header.height !== from + n)
      throw endpoint.error('inconsistent-response', `another block than the one asked for at ${from + n}`);
    if (previous && header.parentHash !== previous.hash) {
      throw endpoint.error('inconsistent-response', `block ${header.height} does not follow block ${previous.height}`);
    }
    const own = byHeight.get(header.height) ?? LogSlice.none;
    checkLogs(endpoint, header, block.transactions.map(transactionHash), own);
    raw.push({ header, logs: own, senders: senders(endpoint, block), source: 'history', observedAt });
    previous = header;
  }
  return raw;
}

/**
 * The whole truth about one block of a range, for samples: all receipts, checked against the header, must hold exactly
 * the logs that the range question gave.
 */
export async function checkSample(
  endpoint: RpcEndpoint,
  block: RawBlock,
  topics: TopicSet,
  proof: ReceiptProof,
  signal: AbortSignal,
): Promise<void> {
  const { header, logs } = block;
  const given = logs.toArray();
  if (!bloomCovers(header.logsBloom, given)) {
    throw endpoint.error('inconsistent-response', `logs of block ${header.height} are not covered by its bloom`);
  }
  const [answer] = await endpoint.batch([{ method: 'eth_getBlockReceipts', params: [`0x${header.hash}`] }], signal);
  if (answer!.error) {
    if (answer!.error.kind === 'method-missing') return; // the bloom had to do
    throw answer!.error;
  }
  const receipts = answer!.result as RpcReceipt[] | null;
  if (!Array.isArray(receipts)) throw endpoint.error('server', `no receipts for block ${header.height}`);
  await proof.check(endpoint, header, receipts, signal);
  const whole = endpoint
    .readLogs(receipts.flatMap((receipt) => receipt.logs))
    .slice()
    .filter((log) => topics.has(log.topics[0]))
    .toArray();
  const same = whole.length === given.length && whole.every((log, n) => equalLogs(log, given[n]!));
  if (!same) throw endpoint.error('inconsistent-response', `logs of block ${header.height} differ from its receipts`);
}

function equalLogs(a: EvmLog, b: EvmLog): boolean {
  const same = a.logIndex === b.logIndex && a.address === b.address && a.data.equals(b.data);
  return same && a.topics.join() === b.topics.join();
}

/** Logs come in the order of the chain: those of a block are together. */
function groupByHeight(endpoint: RpcEndpoint, logs: LogBatch, from: number, to: number): Map<number, LogSlice> {
  const byHeight = new Map<number, LogSlice>();
  for (let start = 0; start < logs.length; ) {
    const height = logs.blockNumberAt(start);
    if (!(height >= from && height <= to)) {
      throw endpoint.error('inconsistent-response', `a log of block ${height} outside ${from}-${to}`);
    }
    if (byHeight.has(height)) throw endpoint.error('inconsistent-response', `logs of block ${height} in two places`);
    let end = start + 1;
    while (end < logs.length && logs.blockNumberAt(end) === height) end++;
    byHeight.set(height, logs.slice(start, end));
    start = end;
  }
  return byHeight;
}

function senders(endpoint: RpcEndpoint, block: RpcBlock): Map<number, string> {
  const byIndex = new Map<number, string>();
  block.transactions.forEach((transaction, index) => {
    const from = (transaction as RpcTransaction).from;
    if (typeof from !== 'string')
      throw endpoint.error('invalid', `block ${block.number} came without its transactions`);
    byIndex.set(index, from);
  });
  return byIndex;
}

const quantity = (value: number): string => `0x${value.toString(16)}`;
