// The name of a test run, from which the seeds of its random tests are drawn. A committed tree gives its own name: two runs
// of one commit test the same histories, and the next commit tests others. With edits each run is a new one.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { PROJECT } from './prepare.mjs';

/** `TIDEPOOL_TEST_RUN` where it is given, else the tree of the last commit, else a new name. */
export function testRunName({ asked = process.env.TIDEPOOL_TEST_RUN, project = PROJECT } = {}) {
  if (asked) return asked;
  const git = (...args) => spawnSync('git', ['-C', project, ...args], { encoding: 'utf8' });
  const tree = git('rev-parse', 'HEAD^{tree}');
  const unchanged = git('diff', '--quiet', 'HEAD').status === 0;
  if (tree.status === 0 && unchanged) return tree.stdout.trim().slice(0, 12);
  return randomBytes(6).toString('hex');
}
