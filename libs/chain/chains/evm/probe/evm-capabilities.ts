import type { NodeSurvey, Shown } from '../../probe/node-survey.js';
import { quantity } from '../quantity.js';
import type { RpcBlock, RpcLog } from '../rpc-shapes.js';
import { blockOf, hasLogs, logsOf, logsOfBlock, receiptsOfBlock, withTransactions } from './evm-questions.js';

const NOBODY = `0x${'0'.repeat(40)}`;
/** Code that returns the word 42 to every call. */
const ANSWERS_42 = '0x602a60005260206000f3';
/** Blocks that are looked through for one with logs. */
const LOOKED_THROUGH = 12;

/** What is asked of a node at one block near the head. */
export async function evmCapabilities(survey: NodeSurvey, at: RpcBlock, topics: readonly string[]): Promise<void> {
  const height = Number(at.number);
  const ends = { fromBlock: at.number, toBlock: at.number };
  const logs = (filter: object) => survey.call<unknown>('eth_getLogs', [filter]);
  await survey.capability('blocks with their transactions', 'the senders of swaps, where logs are read', async () => {
    const block = blockOf(await survey.call('eth_getBlockByNumber', [at.number, true]), height);
    return withTransactions(block) ? transactions(block) : { has: false, seen: 'a block without its transactions' };
  });
  await survey.capability('finalized tag', 'the chain’s own finality', async () => {
    const block = await survey.call<RpcBlock | null>('eth_getBlockByNumber', ['finalized', false]);
    return block === null ? { has: false, seen: 'null' } : `block ${Number(block.number)}`;
  });
  await survey.capability(
    'logs without an address',
    'ranges of the history, and proofs that none is missing',
    async () => {
      return counted(logsOfBlock(await logs(ends), at));
    },
  );
  await survey.capability('logs by topic without an address', 'ranges by topic', async () => {
    return counted(logsOf(await logs({ ...ends, topics: [topics] })));
  });
  await survey.capability('logs of a block by its hash', 'blocks at the head without receipts', async () => {
    return counted(logsOfBlock(await logs({ blockHash: at.hash }), at));
  });
  await survey.capability('eth_getBlockReceipts', 'blocks at the head, their proof, and samples', async () => {
    const receipts = receiptsOfBlock(await survey.call('eth_getBlockReceipts', [at.number]), at);
    return `${receipts.length} receipts`;
  });
  await survey.capability('logs and receipts agree', 'a node whose ranges leave out logs is found out', async () => {
    const byRange = logsOf(await logs(ends));
    const receipts = receiptsOfBlock(await survey.call('eth_getBlockReceipts', [at.number]), at);
    const inReceipts = receipts.flatMap((receipt) => receipt.logs);
    const same = contentOf(byRange) === contentOf(inReceipts);
    const seen = `${byRange.length} logs by range, ${inReceipts.length} in receipts`;
    return { has: same, seen: same || byRange.length !== inReceipts.length ? seen : `${seen}: not the same` };
  });
  await survey.capability('eth_call', 'names of tokens, reserves of new pools, quotes', async () => {
    await survey.call('eth_call', [{ to: NOBODY, data: '0x' }, 'latest']);
    return 'answered';
  });
  await survey.capability('eth_call with changed state', 'the router: simulations without eth_simulateV1', async () => {
    // A node that does not know the third parameter answers as if it were not there.
    const answer = await survey.call('eth_call', [
      { to: NOBODY, data: '0x' },
      'latest',
      { [NOBODY]: { code: ANSWERS_42 } },
    ]);
    return Number(answer) === 42 ? 'answered' : { has: false, seen: 'the changed state was passed over' };
  });
  await survey.capability('eth_simulateV1', 'the router: swaps tried out in one question', async () => {
    const calls = [{ from: NOBODY, to: NOBODY, input: '0x' }];
    await survey.call('eth_simulateV1', [{ blockStateCalls: [{ calls }] }, 'latest']);
    return 'answered';
  });
  await survey.capability('eth_estimateGas', 'the router: gas of a swap', async () => {
    return `${Number(await survey.call('eth_estimateGas', [{ from: NOBODY, to: NOBODY }]))} gas`;
  });
  await survey.capability('eth_feeHistory', 'the router: fees of a swap', async () => {
    await survey.call('eth_feeHistory', ['0x4', 'latest', []]);
    return 'answered';
  });
}

/** A block near the head that all machines of a provider have, with logs where one of the last has some. */
export async function blockToAsk(survey: NodeSurvey, from: number, head: number): Promise<RpcBlock> {
  const newest = Math.max(from, head - 4);
  const read = async (height: number) =>
    blockOf(await survey.call('eth_getBlockByNumber', [quantity(height), false]), height);
  for (let height = newest; height >= from && height > newest - LOOKED_THROUGH; height--) {
    const block = await read(height);
    if (hasLogs(block)) return block;
  }
  return read(newest);
}

const contentOf = (logs: readonly RpcLog[]): string =>
  JSON.stringify(
    logs.map(({ logIndex, address, topics, data }) => [Number(logIndex), address.toLowerCase(), topics, data]),
  );

const counted = (logs: readonly unknown[]): string => `${logs.length} logs`;
const transactions = ({ transactions: all }: RpcBlock): Shown => ({ has: true, seen: `${all.length} transactions` });
