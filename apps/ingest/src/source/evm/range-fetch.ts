import { type EvmLog, type LogBatch, LogSlice } from '#libs/chain/chains/evm/log-batch.js';
import { quantity } from '#libs/chain/chains/evm/quantity.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { RpcBlock, RpcTransaction } from '#libs/chain/chains/evm/rpc-shapes.js';
import { missingBlock } from './missing-block.js';
import {
  checkLink,
  checkLogs,
  type Header,
  isComplete,
  mayHave,
  type RawBlock,
  readEvmHeader,
  transactionHash,
} from './raw-block.js';
import type { TopicSet } from './topic-set.js';

export interface RangeReading {
  readonly topics: TopicSet;
  /** Whether all logs are asked for, so that each block's header tells whether they are complete; else those of the topics. */
  readonly whole: boolean;
  /** The filter of the question, besides the blocks. */
  readonly filter: object;
  /** A block by itself, with all that its header proves: for one that came incomplete. */
  readonly again: (header: Header) => Promise<RawBlock>;
  /** Takes note of all logs of a block, wanted or not. */
  readonly heard?: (logs: LogSlice) => void;
  /** Blocks of the range came without some of their logs. */
  readonly onGaps: (endpoint: RpcEndpoint, blocks: number) => void;
}

/** Blocks that are asked for again at the same time. */
const AGAIN_AT_ONCE = 4;

/**
 * A range of history: logs in ranges, then the blocks with their transactions: the node shows that it has the last block after
 * it gave the logs. Where no header tells whether logs are missing, it has to show that before, too: a node that comes to the
 * block between the two answers would leave logs out. Invariant: the headers link to each other, every log names the header
 * of its height and a transaction in it, and where all logs were asked for, a block whose header says that some are missing
 * is asked for by itself. Where the two answers contradict each other the node is blamed and nothing is kept.
 */
export async function fetchRange(
  endpoint: RpcEndpoint,
  from: number,
  to: number,
  reading: RangeReading,
  signal: AbortSignal,
): Promise<RawBlock[]> {
  const observedAt = Date.now();
  const { topics, whole, filter } = reading;
  if (!whole && (await endpoint.call('eth_getBlockByNumber', [quantity(to), false], signal)) === null)
    throw await missingBlock(endpoint, to, 'block', signal);
  const batches = await endpoint.logsOf(from, to, filter, signal);
  const blocks = await endpoint.all<RpcBlock | null>(
    Array.from({ length: to - from + 1 }, (_, n) => ({
      method: 'eth_getBlockByNumber',
      params: [quantity(from + n), true],
    })),
    signal,
  );
  const byHeight = groupByHeight(endpoint, batches, from, to);
  const raw: RawBlock[] = [];
  const gaps: number[] = [];
  let previous: Header | null = null;
  for (const [n, block] of blocks.entries()) {
    if (block === null) throw await missingBlock(endpoint, from + n, 'block', signal);
    const header = readEvmHeader(endpoint, block);
    if (header.height !== from + n)
      throw endpoint.error('inconsistent-response', `another block than the one asked for at ${from + n}`);
    checkLink(endpoint, header, previous);
    const own = byHeight.get(header.height) ?? LogSlice.none;
    reading.heard?.(own);
    checkLogs(endpoint, header, block.transactions.map(transactionHash), own);
    if (whole && !isComplete(header, own)) {
      if (!mayHave(header, own))
        throw endpoint.error('inconsistent-response', `logs of block ${header.height} are not covered by its bloom`);
      gaps.push(n);
    }
    raw.push({
      ...{
        header,
        logs: whole ? own.filter((log) => topics.has(log.topics[0])) : own,
        senders: senders(endpoint, block),
      },
      ...{
        source: 'history' as const,
        observedAt,
        node: endpoint.index,
        proof: whole ? ('sampled' as const) : ('none' as const),
      },
    });
    previous = header;
  }
  if (gaps.length > 0) reading.onGaps(endpoint, gaps.length);
  for (let start = 0; start < gaps.length; start += AGAIN_AT_ONCE) {
    const places = gaps.slice(start, start + AGAIN_AT_ONCE);
    const again = await Promise.all(places.map((n) => reading.again(raw[n]!.header)));
    for (const [k, n] of places.entries()) raw[n] = again[k]!;
  }
  return raw;
}

/** Whether two lists of logs of one block say the same. */
export function sameLogs(a: readonly EvmLog[], b: readonly EvmLog[]): boolean {
  return a.length === b.length && a.every((log, n) => equalLogs(log, b[n]!));
}

function equalLogs(a: EvmLog, b: EvmLog): boolean {
  const same = a.logIndex === b.logIndex && a.address === b.address && a.data.equals(b.data);
  return same && a.topics.join() === b.topics.join();
}

/** The logs of each block, in order and each once. */
function groupByHeight(
  endpoint: RpcEndpoint,
  batches: readonly LogBatch[],
  from: number,
  to: number,
): Map<number, LogSlice> {
  const byHeight = new Map<number, LogSlice>();
  for (const batch of batches) {
    const logs = batch.ordered();
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
  }
  return byHeight;
}

function senders(endpoint: RpcEndpoint, block: RpcBlock): Map<number, string> {
  const byIndex = new Map<number, string>();
  block.transactions.forEach((transaction, index) => {
    const from = (transaction as RpcTransaction).from;
    if (typeof from !== 'string')
      throw endpoint.error('invalid', `block ${block.number} came without its transactions`);
    byIndex.set(index, from.toLowerCase());
  });
  return byIndex;
}
