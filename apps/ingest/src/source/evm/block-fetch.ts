import { logsBloom } from '#libs/chain/chains/evm/proof/bloom.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { RpcError } from '#libs/chain/chains/evm/rpc/rpc-error.js';
import type { RpcBlock, RpcReceipt, RpcTransaction } from '#libs/chain/chains/evm/rpc-shapes.js';
import { checkLogs, type Header, type RawBlock, readEvmHeader, transactionHash } from './raw-block.js';
import type { ReceiptProof } from './receipt-proof.js';
import type { TopicSet } from './topic-set.js';

/** Endpoints that answered that they have no eth_getBlockReceipts. */
const withoutBlockReceipts = new WeakSet<RpcEndpoint>();

/**
 * One block by its hash, with all its receipts, checked against the header: the receipts root and the bloom commit to
 * every log, so nothing can be left out, added or altered. Nodes without eth_getBlockReceipts give all logs by block hash,
 * which the bloom alone has to answer for.
 */
export async function fetchBlock(
  endpoint: RpcEndpoint,
  header: Header,
  topics: TopicSet,
  source: RawBlock['source'],
  /** Null: nothing is checked against the header. */
  proof: ReceiptProof | null,
  signal: AbortSignal,
): Promise<RawBlock> {
  const observedAt = Date.now();
  const hash = `0x${header.hash}`;
  if (!withoutBlockReceipts.has(endpoint)) {
    try {
      const [block, receipts] = await endpoint.all<unknown>(
        [
          { method: 'eth_getBlockByHash', params: [hash, false] },
          { method: 'eth_getBlockReceipts', params: [hash] },
        ],
        signal,
      );
      const taken = fromReceipts(endpoint, header, topics, source, observedAt, known(endpoint, block), receipts);
      await proof?.check(endpoint, header, receipts as RpcReceipt[], signal);
      return taken;
    } catch (error) {
      if (!(error instanceof RpcError) || error.kind !== 'method-missing') throw error;
      withoutBlockReceipts.add(endpoint);
    }
  }
  const [block, logs] = await endpoint.all<unknown>(
    [
      { method: 'eth_getBlockByHash', params: [hash, true] },
      { method: 'eth_getLogs', params: [{ blockHash: hash }] },
    ],
    signal,
  );
  const body = known(endpoint, block);
  checkSame(endpoint, header, body);
  const all = endpoint.readLogs(list(endpoint, logs, header)).slice();
  checkLogs(endpoint, header, body.transactions.map(transactionHash), all);
  if (proof !== null && logsBloom(all.toArray()) !== header.logsBloom) {
    throw endpoint.error('inconsistent-response', `logs of block ${header.height} do not match its bloom`);
  }
  const senders = new Map<number, string>();
  body.transactions.forEach((transaction, index) => {
    senders.set(index, (transaction as RpcTransaction).from);
  });
  return { header, logs: all.filter((log) => topics.has(log.topics[0])), senders, source, observedAt };
}

function fromReceipts(
  endpoint: RpcEndpoint,
  header: Header,
  topics: TopicSet,
  source: RawBlock['source'],
  observedAt: number,
  block: RpcBlock,
  answer: unknown,
): RawBlock {
  checkSame(endpoint, header, block);
  const receipts = list<RpcReceipt>(endpoint, answer, header);
  const hashes = block.transactions.map(transactionHash);
  const complete = receipts.length === hashes.length && receipts.every((r, n) => r.transactionHash === hashes[n]);
  if (!complete)
    throw endpoint.error(
      'inconsistent-response',
      `receipts of block ${header.height} are not those of its transactions`,
    );
  const logs = endpoint.readLogs(receipts.flatMap((receipt) => receipt.logs)).slice();
  checkLogs(endpoint, header, hashes, logs);
  const senders = new Map(receipts.map((receipt, index) => [index, receipt.from]));
  return { header, logs: logs.filter((log) => topics.has(log.topics[0])), senders, source, observedAt };
}

function checkSame(endpoint: RpcEndpoint, header: Header, block: RpcBlock): void {
  const again = readEvmHeader(endpoint, block);
  if (again.hash !== header.hash || again.height !== header.height || again.parentHash !== header.parentHash) {
    throw endpoint.error('inconsistent-response', `another block than the one asked for at height ${header.height}`);
  }
}

function known(endpoint: RpcEndpoint, block: unknown): RpcBlock {
  if (typeof block !== 'object' || block === null) throw endpoint.error('unknown-block', 'block not found by its hash');
  return block as RpcBlock;
}

function list<T>(endpoint: RpcEndpoint, value: unknown, header: Header): T[] {
  if (value === null) throw endpoint.error('unknown-block', `no receipts for block ${header.height}`);
  if (!Array.isArray(value)) throw endpoint.error('invalid', `an answer for block ${header.height} that is no list`);
  return value as T[];
}

/** A header by hash; `unknown-block` when the node does not have it (any more). */
export async function fetchHeader(endpoint: RpcEndpoint, hash: string, signal: AbortSignal): Promise<Header> {
  const block = await endpoint.call<RpcBlock | null>('eth_getBlockByHash', [`0x${hash}`, false], signal);
  const header = readEvmHeader(endpoint, known(endpoint, block));
  if (header.hash !== hash)
    throw endpoint.error('inconsistent-response', 'another block than the one asked for by hash');
  return header;
}

/** Headers by height, null where the node has none. */
export async function fetchHeaders(
  endpoint: RpcEndpoint,
  heights: readonly number[],
  signal: AbortSignal,
): Promise<(Header | null)[]> {
  const blocks = await endpoint.all<RpcBlock | null>(
    heights.map((height) => ({ method: 'eth_getBlockByNumber', params: [`0x${height.toString(16)}`, false] })),
    signal,
  );
  return blocks.map((block, n) => {
    if (block === null) return null;
    const header = readEvmHeader(endpoint, block);
    if (header.height !== heights[n])
      throw endpoint.error('inconsistent-response', `another block than the one asked for at ${heights[n]}`);
    return header;
  });
}

export interface Tip {
  latest: Header;
  /** The chain's own finality; null where the node does not say. */
  finalizedHeight: number | null;
}

export async function fetchTip(endpoint: RpcEndpoint, finalizedTag: boolean, signal: AbortSignal): Promise<Tip> {
  const tags = finalizedTag ? ['latest', 'finalized'] : ['latest'];
  const [latest, finalized] = await endpoint.batch(
    tags.map((tag) => ({ method: 'eth_getBlockByNumber', params: [tag, false] })),
    signal,
  );
  if (latest!.error) throw latest!.error;
  if (typeof latest!.result !== 'object' || latest!.result === null) throw endpoint.error('server', 'no latest block');
  const header = readEvmHeader(endpoint, latest!.result as RpcBlock);
  // A node before finality, or without the tag, answers null or an error: then only the window seals.
  const block = finalized?.error ? null : (finalized?.result as RpcBlock | null | undefined);
  return { latest: header, finalizedHeight: block ? readEvmHeader(endpoint, block).height : null };
}
