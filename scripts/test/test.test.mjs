import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { PROJECT } from '../lib/prepare.mjs';
import { countJest, LONG, NIGHTLY, partArgs, skipLine, slowest } from '../test.mjs';

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

test('every test is in one of the parts, and those of few files name them', () => {
  const texts = {
    'libs/a.spec.ts': `describe('a ${LONG}')`,
    'libs/b.spec.ts': `test('b')`,
    'libs/d.spec.ts': `test('d ${NIGHTLY}')`,
  };
  const options = { files: Object.keys(texts), text: (file) => texts[file] };
  const [[quick], [long, ...ofLong], [nightly, ...ofNightly], [withLong]] = [
    partArgs('quick'),
    partArgs('long', options),
    partArgs('nightly', options),
    partArgs('with-long'),
  ];
  const matches = (argument, name) => new RegExp(argument.slice('--testNamePattern='.length)).test(name);
  for (const [name, part] of [
    [`a ${LONG} does it`, long],
    [`a does it ${LONG}`, long],
    [`a ${NIGHTLY} does it`, nightly],
    ['a does it', quick],
    ['a does it (long ago)', quick],
  ]) {
    for (const each of [quick, long, nightly]) assert.equal(matches(each, name), each === part, `${each}: ${name}`);
    assert.equal(matches(withLong, name), part !== nightly, name);
  }
  assert.deepEqual(ofLong, ['--runTestsByPath', 'libs/a.spec.ts']);
  assert.deepEqual(ofNightly, ['--runTestsByPath', 'libs/d.spec.ts']);
  assert.deepEqual(partArgs('all'), []);
});

test('the slowest suites come first', () => {
  const suites = [
    { name: join(PROJECT, 'libs/a.spec.ts'), startTime: 0, endTime: 1_000 },
    { name: join(PROJECT, 'libs/b.spec.ts'), startTime: 500, endTime: 60_500 },
  ];
  assert.deepEqual(slowest(suites), ['   60 s  libs/b.spec.ts', '    1 s  libs/a.spec.ts']);
  assert.deepEqual(slowest(suites, 1), ['   60 s  libs/b.spec.ts']);
});
