import type { Behaviour, Json } from './behaviour.js';
import { widthOf } from './blocks-of-call.js';

/** Answers that are complete and true, in another form than most nodes give them. */
export function logsAs(change: (logs: Json[]) => Json[]): Behaviour['rule'] {
  return (node) => ({
    onResult: ({ method }, result) => {
      if (method !== 'eth_getLogs' || result.length === 0) return result;
      node.struck();
      return change(result);
    },
  });
}

export const reversed = (logs: Json[]): Json[] => [...logs].reverse();

export const repeated = (logs: Json[]): Json[] => logs.flatMap((log, n) => (n % 5 === 0 ? [log, log] : [log]));

export const withoutRemoved = (logs: Json[]): Json[] => logs.map(({ removed: _, ...log }) => log);

export const withMore = (logs: Json[]): Json[] =>
  logs.map((log) => ({ ...log, blockTimestampMs: 0, transactionLogIndex: '0x0', type: 'mined', l1BatchNumber: null }));

/** Of a range of more blocks than so many only the newest are answered, and nothing says so. */
export function newestOfRange(most: number): Behaviour['rule'] {
  return (node) => ({
    onResult: (call, result) => {
      if (call.method !== 'eth_getLogs' || widthOf(call) <= most) return result;
      node.struck();
      return result.filter((log: Json) => Number(log.blockNumber) > Number(call.params[0].toBlock) - most);
    },
  });
}

const upper = (hex: string): string => `0x${hex.slice(2).toUpperCase()}`;

export const inUpperCase = (logs: Json[]): Json[] =>
  logs.map((log) => {
    const { address, data, topics, blockHash, transactionHash } = log;
    const hashes = { blockHash: upper(blockHash), transactionHash: upper(transactionHash) };
    return { ...log, ...hashes, address: upper(address), data: upper(data), topics: topics.map(upper) };
  });

/** The objects that answer calls, changed before they are sent. */
export function envelopesAs(change: (answers: Json[], list: boolean) => Json[]): Behaviour['rule'] {
  return (node) => ({
    onAnswers: (answers, { list }) => {
      const changed = change(answers, list);
      if (changed !== answers) node.struck();
      return changed;
    },
  });
}

export const idsAsText = (answers: Json[]): Json[] => answers.map((answer) => ({ ...answer, id: String(answer.id) }));

export const idsWithText = (answers: Json[]): Json[] =>
  answers.map((answer) => ({ ...answer, id: `req-${answer.id}` }));

export const inOtherOrder = (answers: Json[]): Json[] => (answers.length > 1 ? [...answers].reverse() : answers);

export const withoutLast = (answers: Json[], list: boolean): Json[] =>
  list && answers.length > 1 ? answers.slice(0, -1) : answers;

export const withNullError = (answers: Json[]): Json[] =>
  answers.map((answer) => ('result' in answer ? { ...answer, error: null } : answer));
