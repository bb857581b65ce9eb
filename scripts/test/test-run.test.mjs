import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { testRunName } from '../lib/test-run.mjs';

test('a commit has one name, edits have a new one each time', () => {
  const project = mkdtempSync(join(tmpdir(), 'tidepool-run-'));
  const git = (...args) => execFileSync('git', ['-C', project, ...args], { stdio: 'pipe' });
  const commit = (text) => {
    writeFileSync(join(project, 'file'), text);
    git('add', 'file');
    git('-c', 'user.name=t', '-c', 'user.email=t@example.invalid', 'commit', '-qm', text);
  };
  const name = () => testRunName({ asked: '', project });
  try {
    assert.notEqual(name(), name());
    git('init', '-q');
    commit('one');
    const first = name();
    assert.equal(name(), first);
    commit('two');
    assert.notEqual(name(), first);
    writeFileSync(join(project, 'file'), 'three');
    assert.notEqual(name(), name());
    commit('one');
    assert.equal(name(), first);
    assert.equal(testRunName({ asked: 'mine', project }), 'mine');
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
});
