import { Refusal } from '../../probe/refusal.js';
import { quantity } from '../quantity.js';
import type { RpcBlock, RpcLog, RpcReceipt, RpcTransaction } from '../rpc-shapes.js';

const NO_BLOOM = /^0x0*$/;

/** Answers of EVM nodes as what they have to be; what they are not is a Refusal with its own sentence. */
export function blockOf(value: unknown, height: number): RpcBlock {
  if (typeof value !== 'object' || value === null) throw new Refusal(`no block at height ${height}`);
  const block = value as RpcBlock;
  if (Number(block.number) !== height) throw new Refusal(`block ${block.number} in the place of ${quantity(height)}`);
  return block;
}

export function logsOf(value: unknown): RpcLog[] {
  if (!Array.isArray(value)) throw new Refusal('logs that are no list');
  return value as RpcLog[];
}

/** A node without the logs of old blocks may answer that there are none: the block's bloom says otherwise. */
export function logsOfBlock(value: unknown, block: RpcBlock): RpcLog[] {
  const logs = logsOf(value);
  if (logs.length === 0 && hasLogs(block)) throw new Refusal('no logs, though the bloom of the block names some');
  return logs;
}

export function receiptsOfBlock(value: unknown, block: RpcBlock): RpcReceipt[] {
  if (!Array.isArray(value)) throw new Refusal(value === null ? 'no receipts' : 'receipts that are no list');
  if (value.length !== block.transactions.length) {
    throw new Refusal(`${value.length} receipts of ${block.transactions.length} transactions`);
  }
  return value as RpcReceipt[];
}

export const hasLogs = ({ logsBloom }: RpcBlock): boolean => !NO_BLOOM.test(logsBloom ?? '0x');

export const withTransactions = ({ transactions }: RpcBlock): boolean =>
  transactions.every((transaction) => typeof (transaction as RpcTransaction).from === 'string');
