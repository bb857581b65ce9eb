import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countJest, skipLine } from '../test.mjs';

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
