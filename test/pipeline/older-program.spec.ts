import { LiveSink } from '#apps/ingest/src/sink/live-sink.js';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { servedRecord } from '#libs/pipeline/epochs/served-epoch.js';
import { encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import { generationToBuild } from '#libs/pipeline/sink/generation-to-build.js';
import { StoreError } from '#libs/pipeline/store/store-error.js';
import { epochsTopic, factsTopic } from '#libs/protocol/topics.js';
import { MemoryLog } from './memory-log.js';
import { MemoryChainTables } from './memory-tables.js';
import { runUntil } from './real-pipeline.js';
import { foldAll } from './world-checks.js';

const [OLDER, NEWER] = [1, 2];

/**
 * A program next to tables of another version, which may have another schema: it leaves them alone, and serves its own once
 * the pointer names them.
 */
describe('tables of another version', () => {
  const log = new MemoryLog();
  const tables = new MemoryChainTables('eth');
  let ensured = 0;
  const facts = foldAll(randomHistory(3, { chain: 'eth', family: 'evm', groups: 40 }).groups);

  beforeAll(async () => {
    await log.connect().ensureTopics([epochsTopic]);
    const writer = await log.connect().openWriter('spec');
    for (const foldVersion of [OLDER, NEWER]) {
      const topic = factsTopic('eth', 1, foldVersion);
      await writer.append(facts.map((group) => ({ topic, seq: group.seq, value: encodeFactsGroup(group) })));
      await tables.generation(foldVersion).ensure();
    }
    await writer.append([servedRecord('eth', { epoch: 1, foldVersion: NEWER })]);
    await tables.flipPointer({ generation: NEWER, epoch: 1, foldVersion: NEWER, seq: -1 });
    tables.generation(NEWER).ensure = () => {
      ensured++;
      return Promise.reject(new StoreError('schema_too_new', 'a newer schema'));
    };
  });

  it('finds its own generation among those of a newer schema', async () => {
    const deps = { log: log.connect(), tables, chain: 'eth' };
    const served = { version: 1, generation: OLDER, epoch: 1, foldVersion: OLDER, seq: -1 };
    expect(await generationToBuild(deps, { epoch: 1, foldVersion: 3 }, served, true)).toBeGreaterThan(NEWER - 1);
    const pointer = (await tables.readPointer())!;
    expect(await generationToBuild(deps, { epoch: 1, foldVersion: OLDER }, pointer, false)).toBe(OLDER);
  });

  it('are neither written nor migrated; the own ones are filled once they are served', async () => {
    const sink = new LiveSink({
      ...{ log: log.connect(), tables, chain: 'eth', foldVersion: OLDER, minIntervalMs: 0, pollMs: 1 },
      pointerPollMs: 1,
    });
    let flipped = false;
    await runUntil(sink, async () => {
      if (!flipped && sink.status().detail.waiting !== undefined) {
        flipped = true;
        await tables.flipPointer({ generation: OLDER, epoch: 1, foldVersion: OLDER, seq: -1 });
      }
      return sink.status().seq === facts.length - 1;
    });
    expect(sink.status().detail.waiting).toBeUndefined();
    expect(ensured).toBe(0);
    expect(tables.generation(NEWER).newest).toBeNull();
    expect(tables.generation(OLDER).newest?.seq).toBe(facts.length - 1);
  });
});
