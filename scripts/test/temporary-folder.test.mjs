import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../lib/temporary-folder.mjs';

const GIB = 2 ** 30;
const plenty = { space: 20 * GIB, memory: 20 * GIB };

test('specs keep the folder that is asked for, and the system’s own where memory has no room', () => {
  assert.equal(temporaryFolder({ env: { TMPDIR: '/elsewhere' }, room: plenty }), null);
  for (const room of [null, { ...plenty, space: GIB }, { ...plenty, memory: 2 * GIB }]) {
    assert.equal(temporaryFolder({ env: {}, room }), null);
  }
});

test('a folder in memory goes with the run', { skip: !existsSync('/dev/shm') }, () => {
  const made = temporaryFolder({ env: {}, room: plenty });
  writeFileSync(join(made.folder, 'left'), 'x');
  made.remove();
  assert.equal(existsSync(made.folder), false);
});
