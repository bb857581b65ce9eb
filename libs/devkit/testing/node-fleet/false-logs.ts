import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import type { Behaviour, Json, NodeView } from './behaviour.js';

/** Logs of one block, changed. The same list where this block does not serve for the change. */
type ChangesBlock = (logs: Json[], random: SeededRandom) => Json[];

/**
 * False answers of an EVM node to questions for logs, for a share of the blocks that serve for the change. Which blocks and how
 * follows from the seed and the block, so that every question about it is answered alike.
 */
export function falseLogs(share: number, change: ChangesBlock): Behaviour['rule'] {
  return (node) => ({
    onResult: ({ method }, result) => {
      if (method !== 'eth_getLogs' || result.length === 0) return result;
      return byBlock(result).flatMap((logs) => changed(logs, share, change, node));
    },
  });
}

/** The same for the receipts of a block. */
export function falseReceipts(share: number): Behaviour['rule'] {
  return (node) => ({
    onResult: ({ method }, receipts) => {
      if (method !== 'eth_getBlockReceipts' || receipts === null) return receipts;
      const withLogs = receipts.findIndex(({ logs }: Json) => logs.length > 0);
      if (withLogs < 0) return receipts;
      const logs = changed(receipts[withLogs].logs, share, alterAmount, node);
      return receipts.map((receipt: Json, n: number) => (n === withLogs ? { ...receipt, logs } : receipt));
    },
  });
}

function changed(logs: Json[], share: number, change: ChangesBlock, node: NodeView): Json[] {
  const random = new SeededRandom(node.seed ^ Number.parseInt(logs[0].blockHash.slice(2, 10), 16));
  if (!random.chance(share)) return logs;
  const after = change(logs, random);
  if (after !== logs) node.struck();
  return after;
}

function byBlock(logs: readonly Json[]): Json[][] {
  const blocks = new Map<string, Json[]>();
  for (const log of logs) blocks.set(log.blockNumber, [...(blocks.get(log.blockNumber) ?? []), log]);
  return [...blocks.values()];
}

/** One that is not the last, or the only one: the indices or the bloom show it. */
export const omitOne: ChangesBlock = (logs, random) => {
  const victim = logs.length === 1 ? 0 : random.int(logs.length - 1);
  return logs.filter((_, n) => n !== victim);
};

/** The second half of the logs, where its addresses or topics are met nowhere in the first. */
export const omitMany: ChangesBlock = (logs) => {
  const kept = logs.slice(0, Math.floor(logs.length / 2));
  return isCovered(kept, logs.slice(kept.length)) ? logs : kept;
};

/** The last logs, where neither indices nor bloom show it: their addresses and topics are met in those before. */
export const cutCoveredTail: ChangesBlock = (logs) => {
  const kept = logs.slice(0, -1);
  return kept.length > 0 && isCovered(kept, logs.slice(-1)) ? kept : logs;
};

export const alterAmount: ChangesBlock = (logs, random) => {
  const victims = logs.flatMap(({ data }, n) => (data.length >= 66 ? [n] : []));
  if (victims.length === 0) return logs;
  const victim = random.pick(victims);
  return logs.map((log, n) => (n === victim ? { ...log, data: otherEnd(log.data) } : log));
};

export const alterAddress: ChangesBlock = (logs, random) => {
  const victim = random.int(logs.length);
  return logs.map((log, n) => (n === victim ? { ...log, address: `0x${random.hex(20)}` } : log));
};

export const inventLog: ChangesBlock = (logs, random) => {
  const last = logs.at(-1);
  const logIndex = `0x${(Number(last.logIndex) + 1).toString(16)}`;
  return [...logs, { ...last, logIndex, address: `0x${random.hex(20)}` }];
};

/** As a machine that follows another branch of the chain has them. */
export const otherBranch: ChangesBlock = (logs, random) => {
  const blockHash = `0x${random.hex(32)}`;
  return logs.map((log) => ({ ...log, blockHash }));
};

const otherEnd = (hex: string): string => `${hex.slice(0, -1)}${hex.endsWith('1') ? '2' : '1'}`;

function isCovered(by: readonly Json[], logs: readonly Json[]): boolean {
  const items = new Set(by.flatMap(({ address, topics }) => [address, ...topics]));
  return logs.every(({ address, topics }) => [address, ...topics].every((item) => items.has(item)));
}

/** Blocks of another branch: the hash that the block after it names is not theirs. */
export function falseBlocks(share: number): Behaviour['rule'] {
  return (node) => ({
    onResult: ({ method, params }, block) => {
      // What is asked for by hash can only be this block; the first one names the chain.
      if (method !== 'eth_getBlockByNumber' || block === null || !/^0x[1-9a-f]/.test(params[0])) return block;
      const random = new SeededRandom(node.seed ^ Number.parseInt(block.hash.slice(2, 10), 16));
      if (!random.chance(share)) return block;
      node.struck();
      const hash = `0x${random.hex(32)}`;
      const transactions = block.transactions.map((entry: Json) =>
        typeof entry === 'string' ? entry : { ...entry, blockHash: hash },
      );
      return { ...block, hash, transactions };
    },
  });
}
