// Transpiles apps, libs, programs and bench into dist with swc and copies what is needed at run time (*.sql, *.json, fixtures …);
// programs are bundled into dist/bundle (lib/build-programs.mjs), the console into dist/console (lib/build-console.mjs).
// Invariant: after a run dist mirrors the sources: every source has its output, and no output lacks its source.
// Incremental by size and mtime; a changed compiler configuration rebuilds all. Types are checked by scripts/check.mjs.
// The command line of swc is not used: it compiles everything on each run (3 s of processor time for 1,900 files, where a run
// without a change takes 0.2 s here), keeps outputs whose source is gone, and writes over files that a program may be loading.
// rolldown alone makes programs, but not the single modules that specs and benchmarks load.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildConsole } from './lib/build-console.mjs';
import { buildPrograms, isProgram, moduleOf, replaceFile } from './lib/build-programs.mjs';

const PROJECT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCE_FOLDERS = ['apps', 'libs', 'programs', 'bench'];
// The benchmark peers are projects of their own and never part of our output; the console is bundled.
const LEFT_OUT = new Set(['bench/peers', 'apps/console']);
const PARALLEL = 8;

const isSpec = (file) => file.endsWith('.spec.ts') || file.endsWith('.d.ts');
const placeOf = (file) => (file.endsWith('.ts') ? `${file.slice(0, -3)}.js` : file);
const outputOf = (file) => (isProgram(file) ? moduleOf(file) : placeOf(file));

async function listFiles(root, folder) {
  const found = [];
  const visit = async (path) => {
    for (const entry of await readdir(join(root, path), { withFileTypes: true })) {
      const child = `${path}/${entry.name}`;
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules' && !LEFT_OUT.has(child)) await visit(child);
      } else if (entry.isFile() && !isSpec(child)) found.push(child);
    }
  };
  if (existsSync(join(root, folder))) await visit(folder);
  return found;
}

async function readState(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return { key: '', files: {} }; // no earlier build, or one cut short: build all
  }
}

async function inParallel(items, work) {
  let next = 0;
  const errors = [];
  const worker = async () => {
    while (next < items.length) {
      const item = items[next++];
      await work(item).catch((error) => errors.push({ item, error }));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return errors;
}

/** Builds and answers what was done. Throws with every failing file named. */
export async function build({ root = PROJECT, force = false } = {}) {
  const started = performance.now();
  const dist = join(root, 'dist');
  const statePath = join(dist, '.build-state.json');
  const swcrc = await readFile(join(root, '.swcrc'), 'utf8');
  const version = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).devDependencies['@swc/core'];
  const script = await readFile(fileURLToPath(import.meta.url), 'utf8');
  const key = createHash('sha256').update(swcrc).update(version).update(script).digest('hex');
  const before = await readState(statePath);
  const known = before.key === key && !force ? before.files : {};

  const sources = (await Promise.all(SOURCE_FOLDERS.map((folder) => listFiles(root, folder)))).flat().sort();
  const files = {};
  const changed = [];
  for (const file of sources) {
    const { mtimeMs, size } = await stat(join(root, file));
    files[file] = `${size}:${mtimeMs}`;
    if (known[file] !== files[file] || !existsSync(join(dist, outputOf(file)))) changed.push(file);
  }

  const outputs = new Set(sources.flatMap((file) => [placeOf(file), outputOf(file)]));
  const stale = existsSync(dist)
    ? (await Promise.all(SOURCE_FOLDERS.map((folder) => listFiles(dist, folder)))).flat().filter((f) => !outputs.has(f))
    : [];
  for (const file of stale) await rm(join(dist, file), { force: true });

  if (changed.length > 0) {
    const options = JSON.parse(swcrc);
    const compile = changed.some((file) => file.endsWith('.ts')) ? (await import('@swc/core')).transform : null;
    const errors = await inParallel(changed, async (file) => {
      const target = join(dist, outputOf(file));
      await mkdir(dirname(target), { recursive: true });
      if (!file.endsWith('.ts')) {
        await replaceFile(target, (temporary) => copyFile(join(root, file), temporary));
        return;
      }
      const source = await readFile(join(root, file), 'utf8');
      const { code } = await compile(source, {
        ...options,
        swcrc: false,
        filename: join(root, file),
        sourceFileName: relative(dirname(target), join(root, file)).split(sep).join('/'),
      });
      await replaceFile(target, (temporary) => writeFile(temporary, code));
    });
    if (errors.length > 0) {
      for (const { item } of errors) delete files[item];
      await replaceFile(statePath, (temporary) => writeFile(temporary, JSON.stringify({ key, files })));
      const list = errors.map(({ item, error }) => `${item}: ${error.message}`).join('\n');
      throw new Error(`${errors.length} file(s) do not compile\n${list}`);
    }
  }
  if (changed.length > 0 || stale.length > 0 || before.key !== key) {
    await mkdir(dist, { recursive: true });
    await replaceFile(statePath, (temporary) => writeFile(temporary, JSON.stringify({ key, files })));
  }
  const programs = await buildPrograms({ root, force });
  const bundled = await buildConsole({ root, force });
  return {
    ...{ built: changed.length, removed: stale.length, total: sources.length, programs, bundled },
    ms: performance.now() - started,
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const result = await build({ force: process.argv.includes('--force') });
    const seconds = (result.ms / 1000).toFixed(2);
    const parts = [result.programs && 'the programs', result.bundled && 'the console'].filter(Boolean).join(' and ');
    const bundled = parts === '' ? '' : `, bundled ${parts}`;
    console.log(
      `built ${result.built} of ${result.total} files into dist, removed ${result.removed}${bundled}, ${seconds} s`,
    );
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
