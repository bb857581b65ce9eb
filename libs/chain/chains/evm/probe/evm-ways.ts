import type { ProbeCall } from '../../probe/probe-node.js';
import { Refusal } from '../../probe/refusal.js';
import type { Ask, Way } from '../../probe/run-way.js';
import { quantity } from '../quantity.js';
import type { RpcLog } from '../rpc-shapes.js';
import { blockOf, logsOf, receiptsOfBlock, withTransactions } from './evm-questions.js';

/** What a node was found to take. */
export interface EvmSizes {
  /** Blocks in a range of logs. */
  readonly range: number;
  /** Calls in a list. */
  readonly list: number;
  /** Addresses in a filter. */
  readonly addresses: number;
}

export interface EvmWayOptions {
  readonly sizes: EvmSizes;
  /** First topics of the events that are of interest. */
  readonly topics: readonly string[];
  /** Contracts that are known before anything was read. */
  readonly addresses: readonly string[];
}

export const evmWayNames = ['ranges', 'topics', 'receipts', 'addresses'] as const;
export type EvmWayName = (typeof evmWayNames)[number];

/** Receipts of a block are large: more of them in one list make no answer faster. */
const MOST_RECEIPTS = 16;
/** Whole blocks of one list. */
const MOST_BLOCKS = 100;
/** The widest range that is asked for, as the source does. */
const MOST_RANGE = 2_000;
const MOST_SETS = 64;

/**
 * The ways in which the history of an EVM chain can be read. Each reads what an index of it needs: the events, and who sent their
 * transactions, which logs do not say and receipts do.
 */
export function evmWays({ sizes, topics, addresses: known }: EvmWayOptions): Readonly<Record<EvmWayName, Way>> {
  const wanted = new Set(topics);
  const seen = new Set(known.map((address) => address.toLowerCase()));
  const list = Math.max(1, sizes.list);
  const range = Math.max(1, Math.min(sizes.range, MOST_RANGE));
  const count = (logs: readonly RpcLog[]): number => {
    const own = logs.filter((log) => wanted.has(log.topics[0]!));
    for (const { address } of own) seen.add(address.toLowerCase());
    return own.length;
  };

  const logsIn = async (ask: Ask, filter: object): Promise<number> => {
    const [answer] = await ask([{ method: 'eth_getLogs', params: [filter] }]);
    return count(logsOf(answer));
  };
  const blocksIn = async (ask: Ask, from: number, to: number): Promise<void> => {
    const size = Math.min(list, MOST_BLOCKS);
    for (let start = from; start <= to; start += size) {
      const heights = span(start, Math.min(to, start + size - 1));
      const answers = await ask(heights.map((height): ProbeCall => block(height, true)));
      for (const [n, answer] of answers.entries()) {
        if (!withTransactions(blockOf(answer, heights[n]!))) throw new Refusal('a block without its transactions');
      }
    }
  };
  const byLogs = (name: EvmWayName, about: string, filter: object): Way => ({
    ...{ name, about, mostHeights: range },
    async read(from, to, ask) {
      const events = await logsIn(ask, { fromBlock: quantity(from), toBlock: quantity(to), ...filter });
      await blocksIn(ask, from, to);
      return events;
    },
  });

  return {
    ranges: byLogs('ranges', 'all logs of a range, and blocks with their transactions', {}),
    topics: byLogs('topics', 'logs of a range by topic, and blocks with their transactions', { topics: [topics] }),
    receipts: {
      name: 'receipts',
      about: 'all receipts of each block, and its header',
      mostHeights: MOST_RECEIPTS,
      async read(from, to, ask) {
        const size = Math.max(1, Math.min(MOST_RECEIPTS, Math.floor(list / 2)));
        let events = 0;
        for (let start = from; start <= to; start += size) {
          const heights = span(start, Math.min(to, start + size - 1));
          const answers = await askReceipts(ask, heights, list);
          for (const [n, height] of heights.entries()) {
            const receipts = receiptsOfBlock(answers[2 * n + 1], blockOf(answers[2 * n], height));
            events += count(receipts.flatMap(({ logs }) => logs));
          }
        }
        return events;
      },
    },
    addresses: {
      name: 'addresses',
      about: 'logs of a range by the contracts seen so far, in sets, and blocks with their transactions; a lower bound',
      mostHeights: range,
      async read(from, to, ask) {
        if (seen.size === 0) throw new Refusal('no contract is known');
        const ends = { fromBlock: quantity(from), toBlock: quantity(to) };
        let events = 0;
        for (const address of sets([...seen], Math.max(1, sizes.addresses))) {
          events += await logsIn(ask, { ...ends, address, topics: [topics] });
        }
        await blocksIn(ask, from, to);
        return events;
      },
    },
  };
}

/** Header and receipts of each block, in one list where the node takes two calls. */
async function askReceipts(ask: Ask, heights: readonly number[], list: number): Promise<unknown[]> {
  const calls = heights.flatMap((height): ProbeCall[] => [
    block(height, false),
    { method: 'eth_getBlockReceipts', params: [quantity(height)] },
  ]);
  if (list > 1) return ask(calls);
  const answers: unknown[] = [];
  for (const call of calls) answers.push(...(await ask([call])));
  return answers;
}

const block = (height: number, whole: boolean): ProbeCall => ({
  method: 'eth_getBlockByNumber',
  params: [quantity(height), whole],
});

const span = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n);

function sets(all: readonly string[], size: number): string[][] {
  const made: string[][] = [];
  for (let start = 0; start < all.length && made.length < MOST_SETS; start += size) {
    made.push(all.slice(start, start + size));
  }
  return made;
}
