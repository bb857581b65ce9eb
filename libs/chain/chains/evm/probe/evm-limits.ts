import { randomBytes } from 'node:crypto';
import type { NodeSurvey } from '../../probe/node-survey.js';
import type { ProbeCall, ProbeNode } from '../../probe/probe-node.js';
import { quantity } from '../quantity.js';
import { blockOf, logsOf, logsOfBlock, receiptsOfBlock } from './evm-questions.js';
import type { EvmSizes } from './evm-ways.js';

/** More of each is no use to a reader. */
const MOST = { range: 10_000, list: 200, addresses: 1_000 };
const NOBODY = `0x${'0'.repeat(40)}`;

const random = (bytes: number): string => `0x${randomBytes(bytes).toString('hex')}`;

/**
 * How much of something the node takes in one question. Ranges are tried with a topic that no log has: what is found is the width
 * itself and not how much happens to be in it.
 */
export async function evmLimits(survey: NodeSurvey, node: ProbeNode, from: number, at: number): Promise<EvmSizes> {
  const logs = async (filter: object) => logsOf(await survey.call('eth_getLogs', [filter]));
  const widest = Math.min(MOST.range, at - from + 1);
  const range = await survey.limit('blocks in a range of logs', widest, (size) =>
    logs({ fromBlock: quantity(at - size + 1), toBlock: quantity(at), topics: [random(32)] }),
  );
  const list = await survey.limit('calls in a list', MOST.list, async (size) => {
    const calls = Array.from({ length: size }, (_, n): ProbeCall => {
      return { method: 'eth_getBlockByNumber', params: [quantity(Math.max(from, at - n)), false] };
    });
    const { answers } = await node.ask(calls);
    for (const { refusal } of answers) if (refusal !== undefined) throw refusal;
  });
  const addresses = await survey.limit('addresses in a filter', MOST.addresses, (size) => {
    const address = Array.from({ length: size }, () => random(20));
    return logs({ fromBlock: quantity(at), toBlock: quantity(at), address });
  });
  return { range, list, addresses };
}

/** How far back the node has what is read of a block, and its state. */
export async function evmDepths(survey: NodeSurvey, range: { from: number; head: number }): Promise<void> {
  const block = async (height: number) =>
    blockOf(await survey.call('eth_getBlockByNumber', [quantity(height), false]), height);
  await survey.depth('blocks', 'to read the history at all', range, block);
  await survey.depth('logs', 'to read the history by ranges', range, async (height) => {
    const found = await block(height);
    return logsOfBlock(await survey.call('eth_getLogs', [{ blockHash: found.hash }]), found);
  });
  await survey.depth('receipts', 'to read the history by receipts, and to prove it', range, async (height) => {
    const found = await block(height);
    return receiptsOfBlock(await survey.call('eth_getBlockReceipts', [quantity(height)]), found);
  });
  await survey.depth('state', 'for the reserves of pools where the history begins', range, (height) =>
    survey.call('eth_call', [{ to: NOBODY, data: '0x' }, quantity(height)]),
  );
}
