import {
  quantityText,
  type RpcHeader,
  type RpcReceipt,
  type RpcTransaction,
} from '#libs/devkit/chain-builder/rpc-shapes.js';
import type { AnvilRpc } from '../anvil-rpc.js';

export interface Block extends RpcHeader {
  transactions: RpcTransaction[];
}

export interface ReadChain {
  blocks: Block[];
  receipts: RpcReceipt[][];
}

/** Every block of a chain and its receipts, by height. */
export async function readAll(rpc: AnvilRpc): Promise<ReadChain> {
  const head = Number(await rpc.call<string>('eth_blockNumber'));
  const heights = Array.from({ length: head + 1 }, (_, height) => quantityText(height));
  const blocks = await rpc.batch(heights.map((height) => ({ method: 'eth_getBlockByNumber', params: [height, true] })));
  const receipts = await rpc.batch(heights.map((height) => ({ method: 'eth_getBlockReceipts', params: [height] })));
  return { blocks: blocks as Block[], receipts: receipts as RpcReceipt[][] };
}
