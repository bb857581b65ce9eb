import assert from 'node:assert/strict';
import { test } from 'node:test';
import transform from '../lib/jest-transform.mjs';

const options = { config: { rootDir: process.cwd() }, supportsStaticESM: true, transformerConfig: {} };
const firstLine = (source) => transform.process(source, '/x/a.ts', options).code.split('\n')[0];

test('globals are constants of the module, on its first line', () => {
  const line = firstLine('export const half = (a: bigint) => BigInt.asUintN(8, a) / BigInt(Math.floor(2.5));');
  assert.match(line, /^const \{ BigInt, Math \} = globalThis; export const half/);
});

test('a module that has a name of its own keeps it, one that uses none stays as it is', () => {
  const imported = firstLine("import { Buffer } from 'node:buffer';\nexport const b = Buffer.alloc(Math.ceil(2.5));");
  assert.match(imported, /^const \{ Math \} = globalThis; import/);
  const several = firstLine("import {\n  a,\n  Buffer,\n} from './a.js';\nexport const b = Buffer.from(a);");
  assert.doesNotMatch(several, /globalThis/);
  assert.doesNotMatch(firstLine('export class Map {}'), /globalThis/);
  assert.doesNotMatch(firstLine('export const one = 1;'), /globalThis/);
});
