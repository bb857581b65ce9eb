import { addressTopic, data, topic, word } from '#libs/devkit/chain-builder/abi-words.js';
import { type BareLog, logsBloom, receiptsRoot } from '#libs/devkit/chain-builder/block-hash.js';
import { keccakText } from '#libs/devkit/chain-builder/keccak-hex.js';
import type { MarketState, PoolState } from '#libs/devkit/chain-builder/market-state.js';
import {
  quantityText,
  type RpcHeader,
  type RpcLog,
  type RpcReceipt,
  type RpcTransaction,
} from '#libs/devkit/chain-builder/rpc-shapes.js';

/**
 * The block between two loops of a recorded chain: it restores every pool's balances to those at the loop's start, by
 * events that pools know (Sync; flash fees in, protocol fees out). Without it the loops' one-sided flows would add up
 * until a pool had paid out more than it ever held.
 */
const TRANSFER = topic('Transfer(address,address,uint256)');
const SYNC = topic('Sync(uint112,uint112)');
const FLASH = topic('Flash(address,address,uint256,uint256,uint256,uint256)');
const COLLECT_PROTOCOL = topic('CollectProtocol(address,address,uint128,uint128)');

export interface RawBlock {
  block: RpcHeader & { transactions: RpcTransaction[]; [field: string]: unknown };
  receipts: RpcReceipt[];
}

/** `like` is a recorded block with at least one transaction, whose sender and shape the reset copies. */
export function resetBlock(start: MarketState, end: MarketState, treasury: string, like: RawBlock): RawBlock {
  const logs: BareLog[] = [];
  for (const pool of start.pools.values()) logs.push(...resetPool(start, end, treasury, pool));
  const transaction = like.block.transactions[0] as RpcTransaction;
  const receipt = like.receipts[0] as RpcReceipt;
  const bloom = `0x${logsBloom(logs)}`;
  const gasUsed = quantityText(21_000 + 3_000 * logs.length);
  const hash = `0x${keccakText('loop reset')}`;
  const made: RpcReceipt = {
    ...receipt,
    cumulativeGasUsed: gasUsed,
    gasUsed,
    logsBloom: bloom,
    transactionHash: hash,
    logs: logs.map(
      (log, index): RpcLog => ({
        ...log,
        topics: [...log.topics],
        blockHash: like.block.hash,
        blockNumber: like.block.number,
        blockTimestamp: like.block.timestamp,
        transactionHash: hash,
        transactionIndex: '0x0',
        logIndex: quantityText(index),
        removed: false,
      }),
    ),
  };
  return {
    block: {
      ...like.block,
      logsBloom: bloom,
      receiptsRoot: `0x${receiptsRoot([made])}`,
      gasUsed,
      transactions: [{ ...transaction, hash, input: '0x' }],
    },
    receipts: [made],
  };
}

function resetPool(start: MarketState, end: MarketState, treasury: string, pool: PoolState): BareLog[] {
  const out: BareLog[] = [];
  const push = (address: string, topics: string[], ...words: string[]) =>
    out.push({ address, topics, data: data(...words) });
  const missing = [pool.token0, pool.token1].map((token) => {
    const change = start.balance(token, pool.address) - end.balance(token, pool.address);
    const [from, to] = change > 0n ? [treasury, pool.address] : [pool.address, treasury];
    if (change !== 0n) {
      push(token, [TRANSFER, addressTopic(from), addressTopic(to)], word(change > 0n ? change : -change));
    }
    return change;
  }) as [bigint, bigint];
  if (pool.kind === 'pair') {
    if (missing[0] !== 0n || missing[1] !== 0n) push(pool.address, [SYNC], word(pool.reserve0), word(pool.reserve1));
    return out;
  }
  const parties = [addressTopic(treasury), addressTopic(treasury)];
  const [in0, in1] = missing.map((change) => (change > 0n ? change : 0n)) as [bigint, bigint];
  const [out0, out1] = missing.map((change) => (change < 0n ? -change : 0n)) as [bigint, bigint];
  if (in0 + in1 > 0n) push(pool.address, [FLASH, ...parties], word(0), word(0), word(in0), word(in1));
  if (out0 + out1 > 0n) push(pool.address, [COLLECT_PROTOCOL, ...parties], word(out0), word(out1));
  return out;
}
