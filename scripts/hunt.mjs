// npm run hunt: random tests with seeds that no run had before, for a stated time. In each round a part of the specs that draw
// seeds runs under a name of its own (`TIDEPOOL_TEST_RUN`), in an order that differs from hunt to hunt. The first round that
// fails ends the hunt with the command that repeats it. The gate itself has fixed seeds: what a hunt finds becomes a test.
import { randomBytes, randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundlePackages } from './lib/bundle-packages.mjs';
import { buildIfNeeded, installIfNeeded, PROJECT } from './lib/prepare.mjs';
import { isWhole } from './lib/slow-first.mjs';
import { LONG, NIGHTLY, partArgs, runJest, sourceText, specFiles } from './test.mjs';

const HELP = `npm run hunt -- [--minutes N] [path ...]

Runs the random tests with new seeds for N minutes (10) and ends with \`N rounds, no finding\`, or with the command that
repeats what failed and exit code 1. Paths choose specs: npm run hunt -- --minutes 60 libs/pipeline/fold
TIDEPOOL_TEST_SCALE says how much each test does (0.1).`;

const ROUND_MS = 30_000;
const LEAST_MS = 15_000;
const FIRST_ROUND = 10;
const LEAST_ROUND = 4;
/** How much longer than planned the last round may take; then it is stopped and does not count. */
const GRACE_MS = 60_000;

/** Specs that draw seeds, but those over whole programs and of long runs alone: they meet few histories in a minute. */
export function huntedSpecs({ files = specFiles(), text = sourceText, paths = [] } = {}) {
  return files.filter((file) => {
    if (paths.length === 0 ? isWhole(file) : !paths.some((path) => file.includes(path))) return false;
    const source = text(file);
    return /\b(testSeed|withSeed|propertySeeds|seeds)\(/.test(source) && (paths.length > 0 || hasShortTests(source));
  });
}

/** A suite or test at the top of the file that is no long run; one in a loop counts as such. */
function hasShortTests(source) {
  const suites = source.match(/^(describe\w*|it|test)\b.*\n.*/gm) ?? [];
  return suites.length === 0 || suites.some((suite) => !suite.includes(LONG) && !suite.includes(NIGHTLY));
}

/** Rounds until the time is over or one fails. `round` answers the counts of jest for a name and its specs, null where it was stopped. */
export async function hunt({ specs, ms, round, now = () => performance.now(), say = console.log }) {
  const end = now() + ms;
  const total = { rounds: 0, passed: 0, failed: 0 };
  let waiting = [];
  let perSpec = ROUND_MS / FIRST_ROUND;
  for (let left = ms; left >= Math.min(LEAST_MS, ms); left = end - now()) {
    const count = Math.max(LEAST_ROUND, Math.floor(Math.min(ROUND_MS, left) / perSpec));
    if (waiting.length === 0) waiting = shuffled(specs);
    const chosen = waiting.splice(0, count);
    const name = randomBytes(6).toString('hex');
    say(`== round ${total.rounds + 1}: TIDEPOOL_TEST_RUN=${name}, ${chosen.length} specs`);
    const started = now();
    const result = await round({ name, specs: chosen, ms: left + GRACE_MS });
    if (result === null) {
      say('the last round was stopped and does not count');
      break;
    }
    total.rounds++;
    total.passed += result.passed;
    total.failed += result.failed;
    if (result.failed > 0) {
      const suites = result.failedSuites.length > 0 ? result.failedSuites : chosen;
      return { ...total, findings: suites.map((spec) => `TIDEPOOL_TEST_RUN=${name} npm test -- ${spec}`) };
    }
    perSpec = (perSpec + (now() - started) / chosen.length) / 2;
  }
  return { ...total, findings: [] };
}

function shuffled(items) {
  const order = [...items];
  for (let i = order.length - 1; i > 0; i--) {
    const other = randomInt(i + 1);
    [order[i], order[other]] = [order[other], order[i]];
  }
  return order;
}

async function runRound({ name, specs, ms, part }) {
  const late = AbortSignal.timeout(Math.round(ms));
  const args = [...partArgs(part), '--runTestsByPath', ...specs];
  const result = await runJest({ args, env: { TIDEPOOL_TEST_RUN: name }, signal: late });
  if (result.interrupted) throw new Error('interrupted');
  return late.aborted ? null : result;
}

async function main(argv) {
  const options = { minutes: { type: 'string', default: '10' }, help: { type: 'boolean', short: 'h' } };
  const { values, positionals: paths } = parseArgs({ args: argv, options, allowPositionals: true });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error(`--minutes takes a number above 0, not "${values.minutes}"`);
  if (process.env.TIDEPOOL_TEST_SEED !== undefined || process.env.TIDEPOOL_TEST_RUN !== undefined)
    throw new Error('a hunt draws its seeds: unset TIDEPOOL_TEST_SEED and TIDEPOOL_TEST_RUN');
  await installIfNeeded();
  await buildIfNeeded();
  await bundlePackages(PROJECT);
  const specs = huntedSpecs({ paths });
  // Long runs only where they are named.
  const part = paths.length > 0 ? 'all' : 'quick';
  if (specs.length === 0) throw new Error(`no spec that draws seeds is in ${paths.join(', ')}`);
  console.log(`hunting in ${specs.length} specs for ${minutes} minutes`);
  const { rounds, passed, failed, findings } = await hunt({
    specs,
    ms: minutes * 60_000,
    round: (asked) => runRound({ ...asked, part }),
  });
  for (const command of findings) console.log(`FINDING: ${command}`);
  console.log(`${passed} passed, ${failed} failed`);
  if (findings.length === 0) console.log(`${rounds} rounds, no finding`);
  return findings.length === 0 ? 0 : 1;
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
