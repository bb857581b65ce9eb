import { jest } from '@jest/globals';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { until } from '#libs/devkit/testing/until.js';
import { encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import { SinkStage } from '#libs/pipeline/sink/sink-stage.js';
import { factsTopic } from '#libs/protocol/topics.js';
import { MemoryLog } from './memory-log.js';
import { MemoryChainTables } from './memory-tables.js';
import { FOLD, foldAll } from './world-checks.js';

it('a clock that steps back an hour does not make the sink sleep the hour', async () => {
  const log = new MemoryLog();
  const tables = new MemoryChainTables('eth').generation(1);
  const facts = foldAll(randomHistory(1, { chain: 'eth', groups: 20, family: 'evm', deepest: 2 }).groups);
  const topic = factsTopic('eth', 1, FOLD);
  const writer = await log.connect().openWriter('test');
  const publish = (from: number, to: number): Promise<void> =>
    writer.append(facts.slice(from, to).map((group) => ({ topic, seq: group.seq, value: encodeFactsGroup(group) })));
  await publish(0, 5);
  const stop = new AbortController();
  const clock = jest.spyOn(Date, 'now');
  const now = Date.now();
  const sink = new SinkStage({
    ...{ log: log.connect(), tables, chain: 'eth', epoch: 1, foldVersion: FOLD, generation: 1, minIntervalMs: 50 },
    // While the first batch is being written.
    onCheckpoint: () => clock.mockImplementation(() => now - 3_600_000),
  });
  try {
    const running = sink.run(stop.signal);
    const reach = (seq: number): Promise<void> =>
      until('a sink that does not sleep', () => tables.lastSeq === seq, { everyMs: 0 });
    await reach(4);
    await publish(5, 10);
    await reach(9);
    stop.abort();
    await running;
  } finally {
    clock.mockRestore();
    stop.abort();
  }
});
