import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolderSync } from '#libs/devkit/testing/remove-folder.js';
import { scaled } from '#libs/devkit/testing/seeded-random.js';
import { coldStart, readsBelow, sourceReach } from '../../bench/lib/cold-start-run.js';
import { BLOCKS, buildLongLog, EPOCH, FACTS, tailFileOf } from '../../bench/lib/long-log.js';

/** Invariant 7 of docs/architecture.md: a start reads no record older than the committed state. bench/cold-start measures how long it takes. */
const GROUPS = scaled(8_000, 800);
/** The source goes back to the newest seal, at most some 96 blocks here, in windows of up to 128. */
const SOURCE_REACH = 256;

describe('a cold start', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tidepool-cold-start-'));

  afterAll(() => removeFolderSync(dir));

  test('reads nothing below the committed state', async () => {
    const built = await buildLongLog({ dir, groups: GROUPS, tokens: 40, eventsPerBlock: 12, commitEveryBlocks: 50 });
    expect(built.lastSeq).toBe(GROUPS - 1);
    const start = await coldStart(dir, () => performance.now());
    expect(start.lastSeq).toBe(GROUPS - 1);
    // Late enough that reading from the beginning would be seen, early enough that there is something to compare.
    expect(start.stateSeq).toBeGreaterThan(GROUPS / 2);
    expect(start.stateSeq).toBeLessThan(start.lastSeq);
    expect(readsBelow(start)).toEqual([]);
    expect(start.reads.source.length).toBeGreaterThan(0);
    expect(sourceReach(start)).toBeLessThan(SOURCE_REACH);
    // The counters count: the fold read and compared each group above the state.
    const above = Array.from({ length: start.lastSeq - start.stateSeq }, (_, i) => start.stateSeq + 1 + i);
    for (const topic of [BLOCKS.name, FACTS.name]) {
      const seqs = new Set(start.reads.project.filter((read) => read.topic === topic).map(({ seq }) => seq));
      expect([...seqs].sort((a, b) => a - b)).toEqual(above);
    }
    expect(start.answeredTrades).toBeGreaterThan(0);
  });

  test('without the files that the source keeps next to the log, only the source reads the first group and looks for the seal', async () => {
    await tailFileOf(dir).forget();
    const start = await coldStart(dir, () => performance.now());
    const below = Object.entries(start.reads).filter(([, reads]) => reads.some(({ seq }) => seq < start.stateSeq));
    expect(below.map(([who]) => who)).toEqual(['source']);
    expect(start.reads.source.filter(({ seq }) => seq === 0)).toHaveLength(1);
    expect(sourceReach(start)).toBeLessThan(SOURCE_REACH);
    expect(await tailFileOf(dir).load(EPOCH)).not.toBeNull();
  });
});
