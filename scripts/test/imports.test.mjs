// The rules of `.dependency-cruiser.mjs` refuse what they must, on a small tree, and let what is allowed pass. Every form of an
// import counts, those of types as well.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { checkImports, folderCircles } from '../imports.mjs';

/** A file, what it says, and the rule that it breaks. In its name `N` is the number of the row. */
const broken = [
  ['libs/core/N.ts', `import { a } from '#libs/protocol/seen.js';`, /libs\/core may import nothing/],
  ['libs/core/N.ts', `import { a } from '../protocol/seen.js';`, /libs\/core may import nothing/],
  ['libs/core/N.ts', `import type { A } from '#programs/seen.js';`, /libs\/core may import nothing/],
  [
    'libs/pipeline/fold/N.ts',
    `import { type A } from '#libs/pipeline/store/seen.js';`,
    /libs\/pipeline\/fold may import/,
  ],
  ['libs/pipeline/fold/N.ts', `export * from '#libs/pipeline/event-log/seen.js';`, /libs\/pipeline\/fold may import/],
  ['libs/pipeline/fold/N.ts', `type A = import('../store/seen.js').A;`, /libs\/pipeline\/fold may import/],
  ['libs/pipeline/state/N.ts', `import '#libs/pipeline/state/saved/seen.js';`, /libs\/pipeline\/state may import/],
  ['libs/pipeline/store/N.ts', `import '#libs/serve/reader/seen.js';`, /libs\/pipeline\/store may import/],
  ['libs/pipeline/fold/N.ts', `import { Injectable } from '@nestjs/common';`, /may import @nestjs/],
  ['libs/pipeline/fold/N.spec.ts', `import { Test } from '@nestjs/testing';`, /may import @nestjs/],
  ['apps/cli/src/N.ts', `import { Module } from '@nestjs/common';`, /may import @nestjs/],
  ['libs/chain/venues/a/N.ts', `import { b } from '../b/seen.js';`, /never import each other/],
  ['libs/chain/venues/a/N.ts', `export * from '#libs/chain/venues/b/seen.js';`, /never import each other/],
  ['libs/chain/launchpads/a/N.spec.ts', `import '#libs/chain/launchpads/b/seen.js';`, /never import each other/],
  ['libs/pipeline/projections/a/N.ts', `import '../b/seen.js';`, /never import each other/],
  ['libs/platform/N.ts', `const a = await import('#apps/api/src/seen.js');`, /libs\/platform may import/],
  ['apps/api/src/N.ts', `import { a } from '#apps/ingest/src/seen.js';`, /apps never import apps/],
  ['apps/api/src/N.spec.ts', `import { a } from '../../ingest/src/seen.js';`, /apps never import apps/],
  ['apps/ingest/src/N.ts', `import { a } from '#apps/all-in-one/src/seen.js';`, /apps never import apps/],
  ['apps/api/src/N.ts', `import '#libs/devkit/devnet/seen.js';`, /only apps\/all-in-one may import libs\/devkit/],
  ['apps/all-in-one/src/N.ts', `import '#libs/devkit/testing/seen.js';`, /bench may import tests/],
  ['apps/api/src/N.ts', `import '../test/seen.js';`, /bench may import tests/],
  [
    'apps/console/src/N.tsx',
    `import { a } from '#libs/core/seen.js'; export default <b />;`,
    /apps\/console may import only/,
  ],
  ['apps/console/src/N.tsx', `import { a } from '#libs/serve/contract/rest/seen.js';`, /only types/],
  ['apps/api/src/N.ts', `import { Kafka } from 'kafkajs';`, /only libs\/pipeline\/event-log/],
  ['libs/pipeline/store/N.ts', `import { open } from 'lmdb';`, /only libs\/pipeline\/event-log/],
  ['libs/pipeline/event-log/N.ts', `const { Session } = require('chdb');`, /only libs\/pipeline\/store/],
  ['libs/serve/reader/N.ts', `import { createClient } from '@clickhouse/client';`, /only libs\/pipeline\/store/],
  ['libs/unheard-of/N.ts', `import './seen.js';`, /a folder of libs is a room/],
  ['libs/serve/unheard-of/N.ts', `import '#libs/core/seen.js';`, /a folder of libs is a room/],
];

const allowed = [
  ['libs/core/N.ts', `import { a } from './seen.js'; import { b } from 'node:fs';`],
  ['libs/core/N.ts', `// import { a } from '#libs/protocol/seen.js';`],
  ['libs/pipeline/fold/N.ts', `import '#libs/protocol/seen.js'; import '#libs/chain/amm/seen.js';`],
  ['libs/pipeline/fold/N.spec.ts', `import '#libs/devkit/testing/seen.js'; import '#apps/api/src/seen.js';`],
  ['libs/pipeline/store/test/N.ts', `import '#libs/serve/reader/seen.js'; import 'kafkajs';`],
  ['libs/chain/venues/a/N.ts', `import { b } from '../seen.js'; import { c } from './seen.js';`],
  ['libs/pipeline/projections/a/N.ts', `import '../b/projection.js';`],
  ['apps/all-in-one/src/N.ts', `import '#apps/api/src/seen.js'; import '#libs/devkit/devnet/seen.js';`],
  [
    'apps/console/src/N.tsx',
    `import type { A } from '#libs/serve/contract/rest/seen.js'; import { b } from '#libs/serve/client/seen.js';`,
  ],
  ['libs/pipeline/event-log/N.ts', `import { Kafka } from 'kafkajs'; import { open } from 'lmdb';`],
  ['libs/devkit/devnet/N.ts', `import '#programs/seen.js';`],
  ['bench/lib/N.ts', `import '#libs/devkit/testing/seen.js'; import '#apps/api/src/seen.js'; import 'lmdb';`],
];

const root = mkdtempSync(join(tmpdir(), 'tidepool-imports-'));
after(() => rmSync(root, { recursive: true, force: true }));

function write(file, text) {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** What is found in a tree of these files; every file that is imported exists. */
async function foundIn(tree) {
  rmSync(root, { recursive: true, force: true });
  for (const [file, text] of tree) {
    write(file, text);
    for (const [, path] of text.matchAll(/'([.#][^']*)\.js'/g))
      write(`${path.startsWith('#') ? path.slice(1) : join(dirname(file), path)}.ts`, '');
  }
  return checkImports(root);
}

describe('imports between rooms', async () => {
  const rows = [...broken, ...allowed].map(([file, ...rest], at) => [file.replace('N', `n${at}`), ...rest]);
  const found = await foundIn(rows);

  for (const [file, text, rule] of rows) {
    it(`${rule ? 'refuses' : 'allows'} ${text} in ${file}`, () => {
      const lines = found.filter((line) => line.startsWith(`${file} `));
      if (rule) assert.ok(lines.length === 1 && rule.test(lines[0]), lines.join('\n') || 'nothing found');
      else assert.deepEqual(lines, []);
    });
  }

  it('finds nothing else but the circle that some of them make', () => {
    const other = found.filter((line) => !/^( |circle in apps: )/.test(line));
    assert.equal(other.length, broken.length, other.join('\n'));
  });
});

describe('circles', () => {
  it('are found between files of every kind, and closed by a type', async () => {
    const found = await foundIn([
      ['test/one.ts', ''],
      ['test/two.ts', `import type { One } from './one.js';`],
    ]);
    assert.deepEqual(found, []);
    write('test/one.ts', `import './two.js';`);
    assert.match((await checkImports(root)).join('\n'), /^no circle between files: test\/(one|two)\.ts -> /);
  });

  it('are found between folders three deep, by the imports of different files', async () => {
    const found = await foundIn([
      ['apps/api/src/a/b/x/one.ts', `import '../y/deep/one.js';`],
      ['apps/api/src/a/b/y/two.ts', `import type { Two } from '../x/deep/two.js';`],
    ]);
    assert.equal(found[0], 'circle in apps/api/src/a/b: x -> y -> x');
    assert.equal(found.length, 3);
  });
});

describe('circles between the children of a folder', () => {
  const circles = (tree) =>
    folderCircles(
      Object.entries(tree).map(([source, targets]) => ({
        source,
        dependencies: targets.map((resolved) => ({ resolved })),
      })),
    );

  it('are printed by their shortest, import by import', () => {
    const tree = {
      'libs/a/one.ts': ['libs/b/one.ts', 'libs/c/one.ts'],
      'libs/b/deep/two.ts': ['libs/c/two.ts'],
      'libs/c/three.ts': ['libs/a/two.ts'],
    };
    assert.deepEqual(circles(tree), [
      'circle in libs: a -> c -> a',
      '  libs/a/one.ts imports libs/c/one.ts',
      '  libs/c/three.ts imports libs/a/two.ts',
    ]);
  });

  it('take a file next to a folder for itself', () => {
    const tree = { 'apps/a/src/main.ts': ['apps/a/src/rest/x.ts'], 'apps/a/src/rest/x.ts': ['apps/a/src/words.ts'] };
    assert.deepEqual(circles(tree), []);
    tree['apps/a/src/rest/y.ts'] = ['apps/a/src/main.ts'];
    assert.equal(circles(tree)[0], 'circle in apps/a/src: main.ts -> rest -> main.ts');
  });

  it('leave specs and test folders out', () => {
    const tree = { 'libs/a/one.ts': ['libs/b/one.ts'], 'libs/b/one.spec.ts': ['libs/a/two.ts'] };
    assert.deepEqual(circles({ ...tree, 'libs/b/test/world.ts': ['libs/a/two.ts'] }), []);
  });
});
