// Everything that is checked without running the program: format and lint, types, import boundaries and circles, what is
// dead, file sizes, words that must not appear, plain words in comments, the scripts' own tests. Each check answers passed or failed; a warning does not fail.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkAdditive } from './additive.mjs';
import { installIfNeeded, PROJECT } from './lib/prepare.mjs';
import { sourceFiles } from './lib/source-files.mjs';
import { checkNamedPaths } from './named-paths.mjs';
import { checkNames } from './names.mjs';
import { checkPlainWords } from './plain-words.mjs';

const LONG_FILE = 400;
const bin = (name) => join(PROJECT, 'node_modules/.bin', name);

/** Runs a program and answers its output instead of showing it. */
function capture(command, args, env = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, { cwd: PROJECT, env: { ...process.env, ...env } });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.once('error', (error) => done({ ok: false, output: error.message }));
    child.once('close', (code) => done({ ok: code === 0, output: output.trim() }));
  });
}

/** Files of the project: what git tracks or would track; every file without git (an unpacked archive). */
function projectFiles() {
  if (!existsSync(join(PROJECT, '.git')))
    return sourceFiles(PROJECT, ['apps', 'libs', 'programs', 'bench', 'test', 'docs', 'scripts', 'deploy']);
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: PROJECT,
  });
  return listed
    .toString()
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(PROJECT, file)));
}

const BINARY = /\.(gz|png|ico|woff2?|wasm|so|bin|lock)$|^package-lock\.json$/;
// Put together from parts, so that this file does not contain what it looks for.
const FORBIDDEN = [
  ['a path of one machine', new RegExp(`(^|[^\\w.])/${'work'}/(main|shared)\\b|/tmp/${'brief'}`)],
  ['a folder outside the project', new RegExp(`\\.\\./${'shared'}/`)],
  ['a home folder', new RegExp(`/(${'root'}|home/[a-z]+)/[.\\w]`)],
  ['a mark of unfinished work', new RegExp(`\\b(${['TO', 'DO'].join('')}|${['FIX', 'ME'].join('')})\\b`)],
];

function forbiddenWords() {
  const found = [];
  for (const file of projectFiles()) {
    if (BINARY.test(file)) continue;
    readFileSync(join(PROJECT, file), 'utf8')
      .split('\n')
      .forEach((line, index) => {
        for (const [what, pattern] of FORBIDDEN) {
          if (pattern.test(line)) found.push(`${file}:${index + 1}: ${what}: ${line.trim().slice(0, 120)}`);
        }
      });
  }
  return { ok: found.length === 0, output: found.join('\n') };
}

function plainWords() {
  const { wrong, lower } = checkPlainWords(PROJECT, projectFiles());
  if (wrong.length > 0) return { ok: false, output: wrong.join('\n') };
  return { ok: true, output: lower.map((line) => `warning: ${line}`).join('\n') };
}

function chainAndVenueNames() {
  const { wrong, lower } = checkNames(PROJECT);
  const warnings = lower.map((line) => `warning: ${line}`);
  return { ok: wrong.length === 0, output: [...(wrong.length === 0 ? warnings : wrong)].join('\n') };
}

function namedPaths() {
  const found = checkNamedPaths(PROJECT);
  return { ok: found.length === 0, output: found.join('\n') };
}

function longFiles() {
  const long = sourceFiles(PROJECT)
    .map((file) => [file, readFileSync(join(PROJECT, file), 'utf8').split('\n').length - 1])
    .filter(([, lines]) => lines > LONG_FILE);
  const output = long.map(([file, lines]) => `warning: ${file} has ${lines} lines (more than ${LONG_FILE}): split it`);
  return { ok: true, output: output.join('\n') };
}

async function additive() {
  const found = await checkAdditive(PROJECT);
  return { ok: found.length === 0, output: found.join('\n') };
}

/** Named one by one: what `node --test <folder>` means differs between versions of Node. */
const scriptTests = () =>
  readdirSync(join(PROJECT, 'scripts/test'))
    .filter((name) => name.endsWith('.test.mjs'))
    .map((name) => `scripts/test/${name}`);

/** The longest first: the others run meanwhile. */
export const checks = [
  ['model', () => capture(process.execPath, ['docs/model/model.mjs', 'quick'])],
  [
    'format and lint',
    () => capture(bin('biome'), ['ci', '--error-on-warnings', '--colors=off', '--max-diagnostics=30', '.']),
  ],
  ['types', () => capture(bin('tsc'), ['--noEmit', '-p', '.'])],
  ['types of the console', () => capture(bin('tsc'), ['--noEmit', '-p', 'apps/console'])],
  ['imports', () => capture(process.execPath, ['scripts/imports.mjs'])],
  ['dead files and exports', () => capture(bin('knip'), [])],
  ['file sizes', async () => longFiles()],
  ['documents only grow', additive],
  ['words', async () => forbiddenWords()],
  ['names of chains and venues', async () => chainAndVenueNames()],
  ['plain words', async () => plainWords()],
  ['paths in documents', async () => namedPaths()],
  ['scripts', () => capture(process.execPath, ['--test', '--test-reporter=spec', ...scriptTests()])],
];

/** Runs all checks, two at a time, and answers how many passed and failed. */
export async function runChecks(say = console.log) {
  let passed = 0;
  let failed = 0;
  const waiting = [...checks];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, check] = next;
      const started = Date.now();
      const { ok, output } = await check();
      say(`${ok ? 'ok    ' : 'FAILED'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
      if (output !== '' && (!ok || output.startsWith('warning'))) say(output.replace(/^/gm, '       '));
      if (ok) passed++;
      else failed++;
    }
  };
  await Promise.all([lane(), lane()]);
  return { passed, failed };
}

if (process.argv[1] && process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await installIfNeeded();
    const { passed, failed } = await runChecks();
    console.log(`${passed} passed, ${failed} failed`);
    process.exit(failed === 0 ? 0 : 1);
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
