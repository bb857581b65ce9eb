// npm test: installs and builds what is missing, runs the checks, then every spec but the long runs, and ends with one line
// `N passed, N failed` that sums all of it. `--long` runs the long runs alone (npm run test:long), `--with-long` both in one
// run of jest, as CI does, `--nightly` what only a nightly run looks at, `--full` everything with the full counts of the
// property tests (npm run test:full).
// Further arguments go to jest, which then runs all that they name, long or not, without the checks: `npm test -- libs/pipeline/fold`.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChecks } from './check.mjs';
import { bundlePackages } from './lib/bundle-packages.mjs';
import { buildIfNeeded, installIfNeeded, PROJECT } from './lib/prepare.mjs';
import { sourceFiles } from './lib/source-files.mjs';
import { temporaryFolder } from './lib/temporary-folder.mjs';

/**
 * A suite or a test whose name ends so is a long run: whole programs as processes of their own, kills, a browser, copies of
 * the tree, each safety switched off in turn.
 * By name, so that a long run stays in the file of what it is about.
 */
export const LONG = '(long)';
/** The same for what repeats on a larger scale what CI looks at too. */
export const NIGHTLY = '(nightly)';

const PATTERNS = {
  quick: '^(?!.*\\((long|nightly)\\))',
  long: '\\(long\\)',
  'with-long': '^(?!.*\\(nightly\\))',
  nightly: '\\(nightly\\)',
};

export const specFiles = () => sourceFiles(PROJECT).filter((file) => /\.spec\.tsx?$/.test(file));
export const sourceText = (file) => readFileSync(join(PROJECT, file), 'utf8');

/** What jest is given for a part of the tests; for one that few files have these alone. */
export function partArgs(part, { files = specFiles(), text = sourceText } = {}) {
  if (part === 'all') return [];
  const name = `--testNamePattern=${PATTERNS[part]}`;
  const mark = { long: LONG, nightly: NIGHTLY }[part];
  if (mark === undefined) return [name];
  return [name, '--runTestsByPath', ...files.filter((file) => text(file).includes(mark))];
}

/** Counts of a jest result file. A suite that could not even run has no tests to count: it counts as one failure. */
export function countJest(result) {
  return {
    passed: result.numPassedTests,
    failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
    skipped: result.numPendingTests,
  };
}

/** `SKIPPED: <suite>: <what is missing>` where a suite says so; not the line of its source that jest prints with it. */
export function skipLine(line) {
  return /^\s*(SKIPPED: .*\S)/.exec(line)?.[1] ?? null;
}

/** The suites that took longest, as lines: where the minutes of a run go. */
export function slowest(testResults, most = 20) {
  const seconds = ({ startTime, endTime }) => (endTime - startTime) / 1000;
  return [...testResults]
    .sort((a, b) => seconds(b) - seconds(a))
    .slice(0, most)
    .map((suite) => `${seconds(suite).toFixed(0).padStart(5)} s  ${relative(PROJECT, suite.name)}`);
}

/** Runs jest with the output shown as it comes, and answers the counts, the suites that failed and those that were skipped loudly. */
export async function runJest({ args = [], env = {}, workers, signal } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tidepool-jest-'));
  const temporary = temporaryFolder();
  try {
    const inMemory = temporary === null ? {} : { TMPDIR: temporary.folder };
    const resultFile = join(folder, 'result.json');
    // One process more than cores: a suite that waits for a broker or a chain leaves its core to the others.
    const count = workers ?? Math.min(availableParallelism() + 1, 5);
    const options = [`--maxWorkers=${count}`, '--json', `--outputFile=${resultFile}`, ...args];
    const { code, skipped, interrupted } = await jestProcess(options, { ...inMemory, ...env }, signal);
    const result = existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, 'utf8')) : null;
    const counts = result === null ? { passed: 0, failed: 1, skipped: 0 } : countJest(result);
    // Jest failed without a failing test (an open handle it was killed for, no spec found): that is a failure too.
    if (code !== 0 && counts.failed === 0) counts.failed = 1;
    const suites = result?.testResults ?? [];
    const failedSuites = suites.filter(({ status }) => status === 'failed').map(({ name }) => relative(PROJECT, name));
    return { ...counts, failedSuites, skippedSuites: [...skipped], slowest: slowest(suites), interrupted };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    temporary?.remove();
  }
}

/** Jest as a process of its own: how it ended, and the suites that said they were skipped. */
async function jestProcess(options, env, signal) {
  const child = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      // Each suite loads all of its modules: with more room for young objects a fifth of that is saved.
      '--max-semi-space-size=64',
      '--no-warnings=ExperimentalWarning',
      join(PROJECT, 'node_modules/jest/bin/jest.js'),
      ...options,
    ],
    {
      cwd: PROJECT,
      env: { ...process.env, UV_THREADPOOL_SIZE: '16', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let interrupted = false;
  const stop = (name) => {
    interrupted = true;
    child.kill(name);
  };
  const abort = () => child.kill('SIGTERM');
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, stop);
  signal?.addEventListener('abort', abort, { once: true });
  const skipped = new Set();
  let rest = '';
  child.stderr.on('data', (chunk) => {
    process.stderr.write(chunk);
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const name = skipLine(line);
      if (name !== null) skipped.add(name);
    }
  });
  try {
    const code = await new Promise((done, fail) => {
      child.once('error', fail);
      child.once('close', (status) => done(status ?? 1));
    });
    return { code, skipped, interrupted };
  } finally {
    for (const name of ['SIGINT', 'SIGTERM']) process.off(name, stop);
    signal?.removeEventListener('abort', abort);
  }
}

async function main(argv) {
  const parts = ['full', 'long', 'with-long', 'nightly'].filter((part) => argv.includes(`--${part}`));
  const jestArgs = argv.filter((argument) => !parts.includes(argument.slice(2)));
  const named = jestArgs.length > 0;
  const [part = named ? 'full' : 'quick'] = parts;
  await installIfNeeded();
  await buildIfNeeded();
  await bundlePackages(PROJECT);
  const isChecked = !named && part !== 'long' && part !== 'nightly';
  const checked = isChecked ? await runChecks() : { passed: 0, failed: 0 };
  const env = parts.includes('full') ? { TIDEPOOL_TEST_SCALE: '1' } : {};
  const tested = await runJest({ args: [...partArgs(part === 'full' ? 'all' : part), ...jestArgs], env });
  if (!named) console.log(['the longest suites:', ...tested.slowest].join('\n'));
  if (tested.skippedSuites.length > 0) {
    console.log(`${tested.skippedSuites.length} suites were skipped because something they need is missing:`);
    for (const line of tested.skippedSuites) console.log(`  ${line}`);
  }
  const passed = checked.passed + tested.passed;
  const failed = checked.failed + tested.failed;
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    process.exit(await main(process.argv.slice(2)));
  } catch (error) {
    console.error(error.message);
    console.log('0 passed, 1 failed');
    process.exit(1);
  }
}
