import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomHistory, survivingGroups } from '#libs/devkit/testing/histories/random-history.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import { exportTopic, importTopic } from '#libs/pipeline/event-log/transfer.js';
import { ChainFold, foldVersion } from '#libs/pipeline/fold/chain-fold.js';
import { replayTables } from '#libs/pipeline/sink/replay.js';
import { storeTables } from '#libs/pipeline/sink/sink-tables.js';
import { openChdbStore } from '#libs/pipeline/store/chdb-store.js';
import { MarketTables } from '#libs/pipeline/store/market/market-tables.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { groupHash } from '#libs/protocol/codec/group-hash.js';
import { blocksTopic } from '#libs/protocol/topics.js';
import { EPOCH, hashesOf, projectAll, publishHistory, sinkAll } from './real-pipeline.js';

/** Invariants 1 and 2 of docs/architecture.md on the real embedded log and the real ClickHouse engine, with the projections that there are. */
export function describeInvariants(histories: number): void {
  let dir: string;
  let store: AnalyticsStore;
  let generations = 0;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tidepool-invariants-'));
    store = await openChdbStore({ dir: join(dir, 'store') });
  });

  afterAll(async () => {
    await store?.close();
    await removeFolder(dir);
  });

  /** The tables that a history leaves, as hashes that do not depend on how it came there. */
  async function outcome(
    name: string,
    groups: readonly BlocksGroup[],
    sealTo: number,
  ): Promise<Record<string, string>> {
    const log = await openEmbeddedLog({ dir: join(dir, name) });
    try {
      await publishHistory(log, groups);
      const { chain } = groups[0]!;
      await projectAll(log, chain);
      const checkpoint = await sinkAll(log, store, chain, ++generations, { sealTo, maxGroups: 5 + (generations % 40) });
      const hashes = await hashesOf(store, chain, checkpoint, { ignoreSeq: true });
      await new MarketTables(store, chain, checkpoint.generation).drop();
      return hashes;
    } finally {
      await log.close();
    }
  }

  function finalState(groups: readonly BlocksGroup[]): Promise<string> {
    const fold = ChainFold.empty();
    for (const group of survivingGroups(groups)) fold.apply(group, groupHash(encodeBlocksGroup(group)));
    return fold.stateHash();
  }

  describe('invariant 2: reorgs leave what the surviving chain alone would have left', () => {
    it.each(Array.from({ length: histories }, (_, i) => i + 1))(
      'history %i',
      async (seed) => {
        const { groups } = randomHistory(seed, { groups: 150, deepest: 64, retractions: 0.08 });
        const sealTo = Math.max(...groups.map(({ time }) => time)) + 40 * 86_400_000;
        const survivors = survivingGroups(groups);
        const withReorgs = await outcome(`a${seed}`, groups, sealTo);
        const alone = await outcome(`b${seed}`, survivors, sealTo);
        if (survivors.length === 1) {
          // Not one block survives: the retraction then states the reference prices that hold before the first block
          // (coin unknown, stables 1), which a log without any block leaves unsaid. All else is empty on both sides.
          expect(Object.entries(alone).filter(([, hash]) => !hash.startsWith('0:'))).toEqual([]);
          delete withReorgs.reference_prices;
          delete alone.reference_prices;
        }
        expect({ seed, hashes: withReorgs }).toEqual({ seed, hashes: alone });
        expect(await finalState(groups)).toBe(await finalState(survivors));
      },
      300_000,
    );
  });

  describe('invariant 1: what is derived can be thrown away', () => {
    it('a replay into a new generation, and an export imported elsewhere, give the same tables row for row', async () => {
      const seed = 4242;
      const { groups } = randomHistory(seed, { groups: 400, deepest: 64 });
      const { chain } = groups[0]!;
      const log = await openEmbeddedLog({ dir: join(dir, 'origin') });
      const first = ++generations;
      await publishHistory(log, groups);
      await projectAll(log, chain);
      const original = await sinkAll(log, store, chain, first, { maxGroups: 7 });
      const expected = await hashesOf(store, chain, original);
      // A projection that is switched off leaves its tables empty or away; the others are there.
      expect(Object.values(expected).filter((hash) => !hash.startsWith('0:')).length).toBeGreaterThan(5);

      const tables = storeTables(store, chain);
      await tables.flipPointer({ generation: first, epoch: EPOCH, foldVersion, seq: original.seq });
      const progress: number[] = [];
      const replayed = await replayTables({
        ...{ log, tables, chain, signal: new AbortController().signal },
        onProgress: ({ seq }) => progress.push(seq),
      });
      generations = replayed.generation;
      expect(replayed.generation).toBe(first + 1);
      expect((await tables.readPointer())?.generation).toBe(first + 1);
      expect(progress.at(-1)).toBe(original.seq);
      const again = (await tables.generation(replayed.generation).readCheckpoint())!;
      const alike = (checkpoint: typeof again) => ({ ...checkpoint, sealSeq: -1, sealedTime: 0 });
      expect(await hashesOf(store, chain, alike(again))).toEqual(await hashesOf(store, chain, alike(original)));

      const file = join(dir, 'blocks.topic');
      await exportTopic(log, blocksTopic(chain, EPOCH), createWriteStream(file));
      await log.close();
      const other = await openEmbeddedLog({ dir: join(dir, 'other') });
      await importTopic(other, blocksTopic(chain, EPOCH), createReadStream(file));
      await projectAll(other, chain);
      const elsewhere = await sinkAll(other, store, chain, ++generations, { maxGroups: 50 });
      expect(await hashesOf(store, chain, alike(elsewhere))).toEqual(await hashesOf(store, chain, alike(original)));
      await other.close();
    }, 300_000);
  });
}
