import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countJest, LONG, partArgs, skipLine } from '../test.mjs';

test('a suite that was skipped is named by its own line, not by the source around it', () => {
  assert.equal(skipLine('SKIPPED: suite: no broker'), 'SKIPPED: suite: no broker');
  assert.equal(skipLine('    SKIPPED: suite: no broker  '), 'SKIPPED: suite: no broker');
  assert.equal(skipLine("  > 18 |   console.warn('SKIPPED: suite: no broker');"), null);
  assert.equal(skipLine('      at warn (SKIPPED: x)'), null);
});

test('a suite that could not run counts as one failure', () => {
  const result = { numPassedTests: 3, numFailedTests: 1, numRuntimeErrorTestSuites: 2, numPendingTests: 4 };
  assert.deepEqual(countJest(result), { passed: 3, failed: 3, skipped: 4 });
});

test('every test is in one of the two parts, and the long one names its files', () => {
  const texts = { 'libs/a.spec.ts': `describe('a ${LONG}')`, 'libs/b.spec.ts': `test('b')`, 'libs/c.ts': `'${LONG}'` };
  const [quick] = partArgs('quick');
  const [long, byPath, ...files] = partArgs('long', { files: Object.keys(texts), text: (file) => texts[file] });
  const matches = (argument, name) => new RegExp(argument.slice('--testNamePattern='.length)).test(name);
  for (const [name, isLong] of [
    [`a ${LONG} does it`, true],
    [`a does it ${LONG}`, true],
    ['a does it', false],
    ['a does it (long ago)', false],
  ]) {
    assert.equal(matches(quick, name), !isLong, name);
    assert.equal(matches(long, name), isLong, name);
  }
  assert.deepEqual([byPath, files], ['--runTestsByPath', ['libs/a.spec.ts']]);
  assert.deepEqual(partArgs('all'), []);
});
