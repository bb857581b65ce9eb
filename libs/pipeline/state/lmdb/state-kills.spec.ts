import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import type { KeyedState } from '../keyed-state.js';
import { RecordPacker } from '../packed-records.js';
import type { Space } from '../space.js';
import { applyNumbered, positionOf, valuesAfter } from '../test/numbered-blocks.js';
import { balanceKey, balances, testSpaces, ticks } from '../test/test-spaces.js';
import { openLmdbState } from './lmdb-store.js';
import { StateEnv } from './state-env.js';

const spaces = testSpaces as unknown as readonly Space<never>[];
const compiled = (...path: string[]): string => join('dist', 'libs', 'pipeline', 'state', ...path);
const all = { from: '', to: null };

describe('keyed state on disk', () => {
  let dir: string;
  let child: ChildProcess | null = null;
  const open = (undoBytes?: number): Promise<KeyedState> =>
    openLmdbState(spaces, {
      ...{ dir, mergeCommits: 4, commitThread: pathToFileURL(compiled('lmdb', 'commit-thread-main.js')) },
      ...(undoBytes === undefined ? {} : { undoBytes }),
    });

  beforeAll(() => promisify(execFile)(process.execPath, [join('scripts', 'build.mjs')]));
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tidepool-state-'));
  });
  afterEach(() => {
    child?.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });

  test('kill -9 at any moment leaves the state after one block, with its position, and none that was committed is lost', () =>
    withSeed('the kill test', async (random) => {
      let committed = -1;
      for (let round = 0; round < scaled(30, 4); round++) {
        child = spawn(
          process.execPath,
          [compiled('test', 'commit-child.js'), JSON.stringify({ dir, seed: random.seed })],
          {
            stdio: ['ignore', 'pipe', 'inherit'],
          },
        );
        const closed = once(child, 'close');
        let more = random.int(1, 12);
        for await (const line of createInterface({ input: child.stdout! })) {
          committed = Number(/^committed (\d+)$/.exec(line)![1]);
          if (--more === 0) {
            // Not at the moment of the message: a commit is under way nearly always.
            for (let turns = random.below(300); turns > 0; turns--) await new Promise(setImmediate);
            child.kill('SIGKILL');
          }
        }
        await closed;
        const state = await open();
        try {
          const { seq } = state.committed!;
          expect(seq).toBeGreaterThanOrEqual(committed);
          expect(state.committed).toEqual(positionOf(seq));
          const expected = valuesAfter(random.seed, seq);
          expect(new Map(state.space(balances).range(all))).toEqual(expected.balances);
          expect(new Map(state.space(ticks).range(all))).toEqual(expected.ticks);
          for (const point of state.points().slice(0, 1)) {
            await state.rewind(point);
            const older = valuesAfter(random.seed, point.position?.seq ?? -1);
            expect(new Map(state.space(balances).range(all))).toEqual(older.balances);
          }
          committed = state.committed?.seq ?? -1;
        } finally {
          await state.close();
        }
      }
    }));

  test('undo rows are kept up to their bound, the newest commits longest', async () => {
    const state = await open(30_000);
    for (let seq = 0; seq < 60; seq++) {
      applyNumbered(state, 1, seq);
      state.seal(positionOf(seq).height);
      await state.commit();
    }
    const points = state.points();
    expect(points.length).toBeGreaterThan(1);
    expect(points.length).toBeLessThan(30);
    expect(points.map(({ position }) => position!.seq)).toEqual(points.map((_, at) => 58 - at));
    const oldest = points.at(-1)!;
    await state.rewind(oldest);
    const expected = valuesAfter(1, oldest.position!.seq);
    expect(new Map(state.space(balances).range(all))).toEqual(expected.balances);
    expect(state.points()).toEqual([]);
    await state.close();
  });

  test('a state of the version before, which had no commit files, is continued and can be rewound', async () => {
    const env = new StateEnv(
      dir,
      testSpaces.map(({ name }) => ({ name, ranged: false })),
    );
    const key = balanceKey(1);
    env.transact(() => {
      env.put(0, key, Buffer.from('7'));
      env.meta.putSync('form', { format: 1, spaces: spaces.map(({ name, version }) => ({ name, version })) });
      env.meta.putSync('position', positionOf(3));
      env.meta.putSync('commit', 1);
      const undo = new RecordPacker(100);
      undo.add(0, key, Buffer.from('5'));
      env.undo.putSync(`${'1'.padStart(14, '0')}${'0'.repeat(8)}`, undo.take());
      env.commits.putSync(1, { before: positionOf(2), bytes: 30 });
    });
    await env.close();
    const state = await open();
    expect([state.committed, state.space(balances).get(key)]).toEqual([positionOf(3), 7n]);
    applyNumbered(state, 1, 4);
    state.seal(positionOf(4).height);
    await state.commit();
    await state.rewind(state.points().at(-1)!);
    expect([state.committed, state.space(balances).get(key)]).toEqual([positionOf(2), 5n]);
    expect(state.space(balances).range(all)).toEqual([[key, 5n]]);
    await state.close();
  });

  test('a state of another form is refused', async () => {
    await (await open()).close();
    const other = [{ ...balances, version: 2 }, ticks] as unknown as readonly Space<never>[];
    await expect(openLmdbState(other, { dir })).rejects.toMatchObject({ code: 'state_version' });
  });
});
