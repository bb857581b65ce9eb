import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { openLmdbState } from '../lmdb/lmdb-store.js';
import type { Space } from '../space.js';
import { applyNumbered, positionOf } from './numbered-blocks.js';
import { testSpaces } from './test-spaces.js';

/** Applies numbered blocks to the state in a folder and commits without a pause, until it is killed. */
const { dir, seed } = JSON.parse(process.argv[2]!) as { dir: string; seed: number };
const random = new SeededRandom(Math.floor(Math.random() * 2 ** 31));
const state = await openLmdbState(testSpaces as unknown as readonly Space<never>[], {
  dir,
  undoBytes: 200_000,
  mergeCommits: 4,
});
let committing: Promise<void> | null = null;
for (let seq = (state.committed?.seq ?? -1) + 1; ; seq++) {
  applyNumbered(state, seed, seq);
  state.seal(positionOf(seq - 3).height);
  committing ??= state.commit().then(() => {
    committing = null;
    if (state.committed !== null) process.stdout.write(`committed ${state.committed.seq}\n`);
  });
  if (random.chance(0.1)) await committing;
}
