import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import { replayTables } from '#libs/pipeline/sink/replay.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { factsTopic } from '#libs/protocol/topics.js';
import { MemoryLog } from './memory-log.js';
import { MemoryChainTables } from './memory-tables.js';
import { compareTables, FOLD, foldAll } from './world-checks.js';

/**
 * A replay that was cut short leaves a generation half built. When the chain's epoch changed meanwhile, another one is built
 * from the new epoch, and nothing of the old one is served.
 */
const CHAIN = 'eth';

function factsOf(epoch: number, groups: number): FactsGroup[] {
  const history = randomHistory(epoch, { chain: CHAIN, epoch, groups, family: 'evm', deepest: 5 });
  return foldAll(history.groups);
}

async function publish(log: MemoryLog, epoch: number, facts: readonly FactsGroup[]): Promise<void> {
  const topic = factsTopic(CHAIN, epoch, FOLD);
  const writer = await log.connect().openWriter(`test ${epoch}`);
  await writer.append(facts.map((group) => ({ topic, seq: group.seq, value: encodeFactsGroup(group) })));
}

/** Builds the next generation from epoch 1 until the step was reached so often, then ends as a killed process does. */
async function cutShort(log: MemoryLog, tables: MemoryChainTables, at: string, passes: number): Promise<void> {
  let left = passes;
  const steps = async (name: string): Promise<void> => {
    if (name === at && left-- === 0) throw new Error('killed');
  };
  const connection = log.connect();
  const readAll = connection.readGroups.bind(connection);
  connection.readGroups = (topic, options) => readAll(topic, { ...options, maxGroups: 10 });
  const replay = { log: connection, tables, chain: CHAIN, epoch: 1, foldVersion: FOLD, steps };
  await expect(replayTables({ ...replay, signal: new AbortController().signal })).rejects.toThrow('killed');
}

describe('a replay that was cut short before the epoch changed', () => {
  it.each([
    ['sink.after-intent', 0],
    ['sink.before-checkpoint', 0],
    ['sink.after-checkpoint', 0],
    ['sink.after-intent', 3],
    ['sink.before-checkpoint', 3],
    ['replay.before-flip', 0],
  ])('at %s, passed %i times: the new epoch is built and nothing else is served', async (at, passes) => {
    const log = new MemoryLog();
    const tables = new MemoryChainTables(CHAIN);
    await publish(log, 1, factsOf(1, 60));
    await tables.generation(1).ensure();
    await tables.flipPointer({ generation: 1, epoch: 1, foldVersion: FOLD, seq: -1 });
    await cutShort(log, tables, at, passes);
    // Shorter than the old one, so that a seq of the old epoch is above its end.
    const facts = factsOf(2, 20);
    await publish(log, 2, facts);
    const replay = { log: log.connect(), tables, chain: CHAIN, epoch: 2, foldVersion: FOLD };
    await replayTables({ ...replay, signal: new AbortController().signal });
    expect(tables.current).toMatchObject({ generation: 3, epoch: 2, seq: facts.at(-1)!.seq });
    const checkpoint = (await tables.generation(3).readCheckpoint())!;
    expect(checkpoint).toMatchObject({ epoch: 2, seq: facts.at(-1)!.seq });
    expect(compareTables(tables.generation(3), checkpoint, facts)).toEqual([]);
    expect(tables.generation(3).rowsIn('blocks')).toBe(facts.filter(({ kind }) => kind === 'block').length);
  });
});
