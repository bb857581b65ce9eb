import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { KeyedState } from '../keyed-state.js';
import type { Space } from '../space.js';
import { stateContract } from '../test/state-contract.js';
import { testSpaces } from '../test/test-spaces.js';
import { openLmdbState } from './lmdb-store.js';

const spaces = testSpaces as unknown as readonly Space<never>[];
/** A thread cannot run TypeScript. */
const commitThread = pathToFileURL(join('dist', 'libs', 'pipeline', 'state', 'lmdb', 'commit-thread-main.js'));

stateContract('lmdb', 30, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tidepool-state-'));
  let state: KeyedState | null = null;
  return {
    open: async (options) => {
      state = await openLmdbState(spaces, { ...options, dir, commitThread, mergeCommits: 3 });
      return state;
    },
    close: async () => {
      await state?.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
});
