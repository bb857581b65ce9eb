// What npm start, npm test and the command line need before anything else: the installed packages and the built program.
// No dependencies of its own: it runs on a fresh clone.
import { spawn } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const PROJECT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

const LEAST_NODE = [20, 19];

function requireNode(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  if (major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])) return;
  throw new Error(
    `Tidepool needs Node ${LEAST_NODE.join('.')} or newer, this is ${version}: install one from nodejs.org`,
  );
}

const packagesOf = (lock) => JSON.parse(readFileSync(lock, 'utf8')).packages;

/**
 * True when the lock file names a package that is not installed, or not in this version. Optional packages do not count: of
 * those each platform has its own. What is installed besides does no harm.
 */
export function needsInstall(project = PROJECT) {
  const lock = join(project, 'package-lock.json');
  const installedLock = join(project, 'node_modules/.package-lock.json');
  if (!existsSync(installedLock)) return true;
  if (statSync(installedLock).mtimeMs >= statSync(lock).mtimeMs) return false;
  const installed = packagesOf(installedLock);
  return Object.entries(packagesOf(lock)).some(
    ([path, { version, optional, devOptional }]) =>
      path !== '' && !optional && !devOptional && installed[path]?.version !== version,
  );
}

/** The folder that node_modules is a link to: npm would empty it, and it belongs to another project. */
function linkedModules(project) {
  const modules = join(project, 'node_modules');
  const link = lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  if (!link) return null;
  return existsSync(modules) ? realpathSync(modules) : 'a folder that does not exist';
}

/** Runs a command with the terminal's own output and answers its exit code (128 + n for a signal). */
function run(command, args, options = {}) {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { cwd: PROJECT, stdio: 'inherit', ...options });
    child.once('error', fail);
    child.once('close', (code, signal) => done(code ?? 128 + signalNumber(signal)));
  });
}

export const signalNumber = (signal) =>
  ({ SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15, SIGABRT: 6 })[signal] ?? 1;

/** npm itself, started by the very Node that runs this; through PATH where npm did not start us. */
function npm(args, options) {
  const cli = process.env.npm_execpath;
  if (cli && /npm-cli\.js$/.test(cli)) return run(process.execPath, [cli, ...args], options);
  return run('npm', args, options);
}

export async function installIfNeeded(say = console.error, project = PROJECT) {
  requireNode();
  if (!needsInstall(project)) return false;
  const linked = linkedModules(project);
  if (linked !== null)
    throw new Error(`node_modules is a link to ${linked}, which lacks packages of package-lock.json: run npm ci there`);
  say('installing packages (npm ci), once: about a minute, 1 GB on disk');
  const started = Date.now();
  const progress = setInterval(() => say(`  … ${Math.round((Date.now() - started) / 1000)} s`), 10_000);
  const code = await npm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: project,
    // npm's own output goes to the error stream, so that the output of a command stays clean.
    stdio: ['ignore', process.stderr, process.stderr],
    env: { ...process.env, NODE_ENV: 'development' },
  }).finally(() => clearInterval(progress));
  if (code !== 0)
    throw new Error(`npm ci failed with exit code ${code}: is the network there? Its own words are above`);
  say(`installed in ${Math.round((Date.now() - started) / 1000)} s`);
  return true;
}

export async function buildIfNeeded(say = console.error) {
  const { build } = await import(pathToFileURL(join(PROJECT, 'scripts/build.mjs')).href);
  const { built, total, programs, bundled, ms } = await build();
  const parts = [built > 0 && `${built} of ${total} files`, programs && 'the programs', bundled && 'the console'];
  const what = parts.filter(Boolean).join(', ');
  if (what !== '') say(`built ${what} in ${(ms / 1000).toFixed(1)} s`);
}
