import type { Call, Json, NodeView } from './behaviour.js';

/** Which blocks a call is about: heights on an EVM chain, slots on Solana. Both ends included. */
export interface BlockSpan {
  readonly from: number;
  readonly to: number;
}

const EVM_BLOCK_AT: Readonly<Record<string, number>> = {
  ...{ eth_getBlockByNumber: 0, eth_getBlockByHash: 0, eth_getBlockReceipts: 0, eth_call: 1, eth_getCode: 1 },
  ...{ eth_getBalance: 1, eth_getTransactionCount: 1, eth_getStorageAt: 2 },
};

/** Null where a call is about no block, or about one that is named by a tag such as `latest`. */
export async function blocksOf(call: Call, node: NodeView): Promise<BlockSpan | null> {
  return node.family === 'evm' ? evmBlocks(call, node) : solanaSlots(call);
}

/** Width of a question for a range; 0 where it is none. */
export function widthOf({ method, params }: Call): number {
  if (method === 'eth_getLogs' && params[0]?.blockHash === undefined) {
    const [from, to] = [Number(params[0]?.fromBlock), Number(params[0]?.toBlock)];
    return Number.isFinite(to - from) ? to - from + 1 : 1;
  }
  if (method === 'getBlocks' && typeof params[1] === 'number') return params[1] - params[0] + 1;
  return 0;
}

async function evmBlocks({ method, params }: Call, node: NodeView): Promise<BlockSpan | null> {
  if (method === 'eth_getLogs') {
    const { fromBlock, toBlock, blockHash } = params[0] ?? {};
    if (blockHash !== undefined) return one(await node.heightOf(blockHash));
    const [from, to] = [heightIn(fromBlock), heightIn(toBlock)];
    return from === null || to === null ? null : { from, to };
  }
  const at = EVM_BLOCK_AT[method];
  if (at === undefined) return null;
  const named = params[at];
  const reference = typeof named === 'object' && named !== null ? (named.blockHash ?? named.blockNumber) : named;
  if (typeof reference === 'string' && reference.length === 66) return one(await node.heightOf(reference));
  return one(heightIn(reference));
}

function solanaSlots({ method, params }: Call): BlockSpan | null {
  if (method === 'getBlock' || method === 'getBlockTime') return one(params[0]);
  if (method === 'getBlocks' && typeof params[1] === 'number') return { from: params[0], to: params[1] };
  if (method === 'getBlocks' || method === 'getBlocksWithLimit') return one(params[0]);
  return null;
}

const heightIn = (text: Json): number | null =>
  typeof text === 'string' && /^0x[0-9a-f]+$/i.test(text) ? Number(text) : null;

const one = (height: number | null): BlockSpan | null => (height === null ? null : { from: height, to: height });
