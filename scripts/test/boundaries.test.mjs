// The boundary check must see every kind of import and every rule broken, and let what is allowed pass.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { checkBoundaries, importsOf, violations } from '../boundaries.mjs';

describe('importsOf', () => {
  it('finds every form of import and none in comments', () => {
    const text = `
      import a from 'one';
      import { b,
        c } from "two";
      import type { D } from '#libs/three.js';
      import * as e from './four.js';
      import 'five';
      export { f } from './six.js';
      export * from './seven.js';
      const g = await import('eight');
      const h = require('nine');
      // import x from 'ten';
      /* import y from 'eleven'; */
      const url = 'https://example.org'; import z from 'twelve';`;
    assert.deepEqual(
      importsOf(text).sort(),
      ['one', 'two', '#libs/three.js', './four.js', 'five', './six.js', './seven.js', 'eight', 'nine', 'twelve'].sort(),
    );
  });
});

const broken = [
  ['libs/core/x.ts', `import { a } from '#libs/protocol/blocks.js';`, /libs\/core may import nothing/],
  ['libs/core/x.ts', `import { a } from '../protocol/blocks.js';`, /libs\/core may import nothing/],
  [
    'libs/pipeline/fold/x.ts',
    `import { a } from '#libs/pipeline/event-log/log.js';`,
    /libs\/pipeline\/fold may import/,
  ],
  ['libs/pipeline/fold/x.ts', `import { Injectable } from '@nestjs/common';`, /must not know/],
  ['libs/pipeline/fold/x.spec.ts', `import { Test } from '@nestjs/testing';`, /must not know/],
  ['apps/cli/src/x.ts', `import { Module } from '@nestjs/common';`, /must not know/],
  ['libs/chain/venues/a/x.ts', `import { b } from '../b/x.js';`, /never import each other/],
  ['libs/chain/venues/a/x.ts', `export * from '#libs/chain/venues/b/x.js';`, /never import each other/],
  ['libs/platform/x.ts', `const a = await import('#apps/api/src/main.js');`, /libs never import apps/],
  ['apps/api/src/x.ts', `import { a } from '#apps/ingest/src/main.js';`, /apps never import apps/],
  ['apps/api/src/x.ts', `import { a } from '../../ingest/src/stage.js';`, /apps never import apps/],
  ['apps/ingest/src/x.ts', `import { a } from '#apps/all-in-one/src/welcome.js';`, /apps never import apps/],
  [
    'apps/console/src/x.tsx',
    `import { a } from '#libs/core/money.js';`,
    /apps\/console may import libs\/serve\/client/,
  ],
  ['apps/api/src/x.ts', `import { Kafka } from 'kafkajs';`, /only libs\/pipeline\/event-log/],
  ['libs/pipeline/store/x.ts', `import { open } from 'lmdb';`, /only libs\/pipeline\/event-log/],
  ['libs/pipeline/event-log/x.ts', `import { Session } from 'chdb';`, /only libs\/pipeline\/store/],
  ['libs/serve/reader/x.ts', `import { createClient } from '@clickhouse/client';`, /only libs\/pipeline\/store/],
  ['libs/serve/reader/x.ts', 'const level = process.env.LEVEL;', /reads process.env/],
  ['libs/unheard-of/x.ts', 'export const a = 1;', /is in no layer/],
];

const allowed = [
  ['libs/core/x.ts', `import { a } from './ids.js'; import { b } from 'node:fs';`],
  [
    'libs/pipeline/fold/x.ts',
    `import { a } from '#libs/protocol/blocks.js'; import { b } from '#libs/chain/amm/spot-price.js';`,
  ],
  [
    'libs/pipeline/fold/x.spec.ts',
    `import { a } from '#libs/devkit/chain-builder/chain-builder.js'; const s = process.env.TIDEPOOL_TEST_SCALE;`,
  ],
  ['libs/chain/venues/a/x.ts', `import { b } from '../shared-decoder.js'; import { c } from './y.js';`],
  [
    'apps/all-in-one/src/main.ts',
    `import { a } from '#apps/api/src/api.js'; import { b } from '#apps/ingest/src/ingest.js';`,
  ],
  [
    'apps/console/src/y.tsx',
    `import type { A } from '#libs/serve/contract/rest/meta.js'; import { b } from '#libs/serve/client/x.js';`,
  ],
  ['libs/pipeline/event-log/x.ts', `import { Kafka } from 'kafkajs'; import { open } from 'lmdb';`],
  ['libs/serve/contract/rest/x.ts', `import { ApiProperty } from '@nestjs/swagger';`],
  ['libs/platform/x.ts', 'const level = process.env.LEVEL;'],
];

describe('violations', () => {
  for (const [file, text, expected] of broken) {
    it(`refuses ${text} in ${file}`, () => {
      const found = violations(file, text);
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found[0], expected);
    });
  }
  for (const [file, text] of allowed) {
    it(`allows ${text} in ${file}`, () => assert.deepEqual(violations(file, text), []));
  }
});

describe('checkBoundaries', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidepool-boundaries-'));
  after(() => rmSync(root, { recursive: true, force: true }));

  it('reports every broken rule of a project on disk and nothing else', () => {
    for (const [index, [file, text]] of [...broken, ...allowed].entries()) {
      const path = join(root, file.replace(/x(\.spec)?\.ts$/, `x${index}$1.ts`));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    assert.equal(checkBoundaries(root).length, broken.length);
  });
});
