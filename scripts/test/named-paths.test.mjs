import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkNamedPaths, missingPaths, wrongRows } from '../named-paths.mjs';

function withTree(files, body) {
  const root = mkdtempSync(join(tmpdir(), 'named-paths-'));
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(root, dirname(file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    return body(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

const TREE = { 'apps/x/a.ts': '', 'libs/a/b.ts': '', 'libs/a/c.ts': '', 'libs/d/e.ts': '', 'libs/readme.md': '' };

test('paths of a document exist', () => {
  withTree(TREE, (root) => {
    assert.deepEqual(missingPaths(root, '| `libs/a/b.ts`, `c.ts` | `seq`, `libs/a` |'), []);
    assert.deepEqual(missingPaths(root, '`libs/a/b.ts`, `d.ts`\n`libs/e.ts`'), ['libs/a/d.ts', 'libs/e.ts']);
  });
});

test('every folder has a row, and every row a folder', () => {
  withTree(TREE, (root) => {
    const folders = ['apps/x', 'libs/a', 'libs/d'];
    const rows = ['| folder | what |', '| `apps/x` | a |', '| `libs/a` | b, `libs/z` |', '| `libs/d` | c |'];
    assert.deepEqual(wrongRows(root, rows.join('\n'), folders), []);
    assert.deepEqual(wrongRows(root, rows.slice(0, 3).join('\n'), folders), ['libs/d has no row']);
    assert.deepEqual(wrongRows(root, [...rows, '| `libs/e` | d |'].join('\n'), folders), ['libs/e does not exist']);
  });
});

test('the documents of the project', () => {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  assert.deepEqual(checkNamedPaths(root), []);
});
