// What `knip.jsonc` calls dead, on a small tree: a file, an export and a package that nothing uses.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { PROJECT } from '../lib/prepare.mjs';

const TREE = {
  'package.json': JSON.stringify({ name: 'tree', type: 'module', dependencies: { undici: '1.0.0', viem: '1.0.0' } }),
  'apps/api/src/main.ts': `import 'viem'; import { used } from '#libs/core/rooms/deep/a.js'; used();`,
  'libs/core/rooms/deep/a.ts': 'export const used = () => inner; export const dead = 1; export const inner = 2;',
  'libs/core/rooms/deep/b.ts': 'export const seen = 1; export interface Dead {}',
  'libs/core/rooms/deep/b.spec.ts': `import { seen } from './b.js'; import { Worker } from '../../main.js'; seen; Worker;`,
  'libs/core/main.ts': 'export const Worker = 1;',
  'libs/core/lonely.ts': 'export const lonely = 1;',
};

it('finds what is dead and nothing else', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidepool-knip-'));
  try {
    for (const [file, text] of Object.entries(TREE)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    copyFileSync(join(PROJECT, 'knip.jsonc'), join(root, 'knip.jsonc'));
    const args = [join(PROJECT, 'node_modules/knip/bin/knip.js'), '--reporter', 'compact', '--no-config-hints'];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    assert.equal(status, 1);
    assert.deepEqual(stdout.trim().split('\n'), [
      ...['Unused files (1)', 'libs/core/lonely.ts: libs/core/lonely.ts'],
      ...['Unused dependencies (1)', 'package.json: undici'],
      ...['Unused exports (1)', 'libs/core/rooms/deep/a.ts: dead, inner'],
      ...['Unused exported types (1)', 'libs/core/rooms/deep/b.ts: Dead'],
    ]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
