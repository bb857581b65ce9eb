import { refoldSurvivors, retractFrom } from '#libs/devkit/testing/histories/fold-driver.js';
import { ChainFold } from '#libs/pipeline/fold/chain-fold.js';
import { decodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import type { Checkpoint } from '#libs/pipeline/store/market/checkpoint.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { groupHash } from '#libs/protocol/codec/group-hash.js';
import type { FactsBlock, FactsGroup } from '#libs/protocol/facts.js';
import { factsTopic } from '#libs/protocol/topics.js';
import type { MemoryLog } from './memory-log.js';
import { candleLines, type MemoryRow, type MemoryTables, tradeText, transferText } from './memory-tables.js';

/** What a run must leave, computed from the history alone, and the differences as sentences. */
export const EPOCH = 1;
export const FOLD = 1;

/** The facts of the whole history, folded in one go without any fault. */
export function foldAll(history: BlocksGroup[]): FactsGroup[] {
  let fold = ChainFold.empty();
  const facts: FactsGroup[] = [];
  for (const group of history) {
    const hash = groupHash(encodeBlocksGroup(group));
    if (group.kind === 'retract' && !fold.canRetract(group)) {
      const fresh = refoldSurvivors(history, group);
      facts.push(retractFrom(fresh, fold, group, hash));
      fold = fresh;
    } else facts.push(fold.apply(group, hash));
  }
  return facts;
}

function survivors<G extends { kind: string; seq: number }>(groups: G[]): G[] {
  const ranges = groups.filter((group) => group.kind === 'retract') as unknown as { fromSeq: number; seq: number }[];
  return groups.filter(({ seq }) => !ranges.some((range) => seq >= range.fromSeq && seq < range.seq));
}

export function compareTables(tables: MemoryTables, checkpoint: Checkpoint, facts: FactsGroup[]): string[] {
  const problems: string[] = [];
  const blocks = survivors(facts).filter((group): group is FactsBlock => group.kind === 'block');
  const expected: Record<string, string[]> = {
    blocks: blocks.map((block) => `${block.height} ${block.hash}`),
    trades: blocks.flatMap((block) => block.trades.map((trade) => tradeText(block.hash, trade))),
    transfers: blocks.flatMap((block) => block.transfers.map((transfer) => transferText(block.hash, transfer))),
  };
  for (const [table, lines] of Object.entries(expected)) {
    const found = tables.visible(table, checkpoint).map(({ text }) => text);
    problems.push(...difference(`${table} of ${tables.name}`, found, lines));
  }
  const rows = blocks.flatMap((block) =>
    block.trades.map(
      (trade): MemoryRow => ({ seq: block.seq, block: block.height, time: block.time, text: '', trade }),
    ),
  );
  problems.push(...difference(`candles of ${tables.name}`, tables.candles(checkpoint), candleLines(rows)));
  return problems;
}

function difference(what: string, found: string[], expected: string[]): string[] {
  const a = [...found].sort();
  const b = [...expected].sort();
  if (a.length === b.length && a.every((line, index) => line === b[index])) return [];
  const missing = b.find((line) => !a.includes(line))?.slice(0, 120);
  const extra = a.find((line, index) => !b.includes(line) || a.indexOf(line) !== index)?.slice(0, 120);
  return [
    `${what}: ${a.length} found, ${b.length} expected; missing ${missing ?? 'none'}; too many ${extra ?? 'none'}`,
  ];
}

/** Pool states as a router keeps them: absolute sets in the order of facts, nothing computed (rule 13). */
function poolStates(facts: FactsGroup[]): Map<string, string> {
  const states = new Map<string, string>();
  for (const group of facts) {
    if (group.kind !== 'block' && group.kind !== 'retract') continue;
    if (group.kind === 'retract') for (const pool of group.removedPools) states.delete(pool);
    for (const { pool, reserve0, reserve1, concentrated, anchored } of group.poolStates) {
      const price =
        concentrated === null ? '' : `${concentrated.sqrtPriceX96} ${concentrated.tick} ${concentrated.liquidity}`;
      states.set(pool, `${reserve0} ${reserve1} ${price} ${anchored}`);
    }
  }
  return states;
}

export function comparePools(found: FactsGroup[], expected: FactsGroup[]): string[] {
  const blocks = survivors(expected).filter((group) => group.kind === 'block');
  const lines = (states: Map<string, string>) => [...states].map(([pool, state]) => `${pool} ${state}`);
  return difference('pool states', lines(poolStates(found)), lines(poolStates(blocks)));
}

/** Decodes what a topic holds, for checks that look at facts themselves. */
export function factsIn(log: MemoryLog, chain: string): FactsGroup[] {
  return log.topic(factsTopic(chain, EPOCH, FOLD).name).groups.map(({ value }) => decodeFactsGroup(value));
}
