// Bundles each program into few files: `dist/…/main.js` and `dist/…/x-main.js` (threads and processes of their own) lead to
// dist/bundle. A start then opens some twenty files, not three thousand, and takes half the time.
// Invariants: a module sees the `import.meta.url` of its place in dist, so that what it reads next to itself is found; a
// package that is not in BUNDLED is loaded from node_modules, once for all; names of classes and functions are kept.
// By itself (`node scripts/lib/build-programs.mjs FOLDER`) it bundles what is in a folder's dist as it is.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Packages of many small modules. What has a binary, or reads files next to itself, stays outside, and so does reflect-metadata:
 * others lean on it while they load, and CommonJS in a bundle runs only after what its importer imports next.
 */
const BUNDLED = new Set([
  ...['@nestjs/common', '@nestjs/core', '@nestjs/websockets', 'iterare', 'uid', 'path-to-regexp', 'object-hash'],
  ...['fast-safe-stringify', 'tslib', 'rxjs'],
  ...['class-validator', 'class-transformer', 'validator', 'libphonenumber-js'],
  ...['viem', 'abitype', '@noble/hashes', '@noble/curves'],
  ...['yaml', 'undici', 'kafkajs', 'ioredis', '@clickhouse/client', '@clickhouse/client-common'],
]);

/** A program, a thread or a process that another one starts: by its name, outside of tests. */
export const isProgram = (source) =>
  /^(apps|libs)\//.test(source) && /(^|\/|-)main\.ts$/.test(source) && !source.split('/').includes('test');

/** Where the module of a program is in dist: its own place leads to the bundle. */
const MODULE = '.program.js';
export const moduleOf = (source) => source.replace(/\.ts$/, MODULE);
const placeOf = (program) => `${program}.js`;
const nameOf = (program) => program.replaceAll('/', '-');

const posix = (path) => path.split(sep).join('/');

/** Writes a temporary file and renames it, so that a process that starts meanwhile never loads half a file. */
export async function replaceFile(path, write) {
  const temporary = `${path}.${process.pid}.tmp`;
  await write(temporary);
  await rename(temporary, path);
}

/** Bundles the programs of `root`/dist and answers whether it did: nothing is done while no module is newer than the bundle. */
export async function buildPrograms({ root, force = false }) {
  const dist = join(root, 'dist');
  const programs = await programsOf(dist);
  if (programs.length === 0) return false;
  const output = join(dist, 'bundle');
  const statePath = join(output, '.modules.json');
  const key = await keyOf(root, programs);
  const before = await readFile(statePath, 'utf8').then(JSON.parse, () => null);
  const complete = programs.every((program) => existsSync(join(dist, placeOf(program))));
  const isKnown = before?.key === key && complete && !force;
  if (isKnown && !(await someNewer(dist, before))) return false;

  // A module that changes from now on is newer, whatever of it was read; so is one of a build that failed or was killed.
  const at = Date.now();
  const { rolldown } = await import('rolldown');
  const modules = new Set();
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(programs.map((program) => [nameOf(program), join(dist, program + MODULE)])),
    platform: 'node',
    plugins: [places(dist, output, programs, modules), packages()],
    // Nest asks for packages that it can do without.
    onLog: (level, log, say) => log.code === 'UNRESOLVED_IMPORT' || say(level, log),
  });
  const { output: chunks } = await build.generate({
    format: 'esm',
    keepNames: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await build.close();

  await mkdir(output, { recursive: true });
  const write = (path, text) => replaceFile(path, (temporary) => writeFile(temporary, text));
  // What others import comes first: a program that starts meanwhile finds it.
  for (const chunk of [...chunks].sort((a, b) => Number(a.isEntry) - Number(b.isEntry)))
    await write(join(output, chunk.fileName), chunk.code);
  for (const program of programs) {
    const place = join(dist, placeOf(program));
    const path = posix(relative(dirname(place), join(output, `${nameOf(program)}.js`)));
    await write(place, `export * from '${path}';\n`);
  }
  const written = new Set(chunks.map(({ fileName }) => fileName));
  for (const file of await readdir(output))
    if (file.endsWith('.js') && !written.has(file)) await rm(join(output, file), { force: true });
  await write(statePath, JSON.stringify({ key, at, modules: [...modules].sort() }));
  return true;
}

/** Whether a module of the bundle changed since, or is gone. */
async function someNewer(dist, { at, modules }) {
  const times = await Promise.all(modules.map((file) => stat(join(dist, file)).catch(() => null)));
  return times.some((found) => found === null || found.mtimeMs > at);
}

/** Their paths in dist, without an ending. */
async function programsOf(dist) {
  const files = [];
  for (const folder of ['apps', 'libs'])
    if (existsSync(join(dist, folder)))
      for (const file of await readdir(join(dist, folder), { recursive: true })) files.push(posix(join(folder, file)));
  return files
    .filter((file) => file.endsWith(MODULE))
    .map((file) => file.slice(0, -MODULE.length))
    .sort();
}

async function keyOf(root, programs) {
  const hash = createHash('sha256').update(JSON.stringify(programs));
  hash.update(await readFile(new URL(import.meta.url)));
  const lock = join(root, 'package-lock.json');
  if (existsSync(lock)) hash.update(await readFile(lock));
  return hash.digest('hex');
}

/** Which packages are bundled. One below another package cannot be named from the bundle: it goes along. */
function packages() {
  return {
    name: 'packages',
    async resolveId(source, importer, options) {
      if (source.startsWith('.') || source.startsWith('#') || importer === undefined) return null;
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      if (found === null || found.external) return found;
      const parts = posix(found.id).split('/node_modules/');
      const [scope, name] = parts.at(-1).split('/');
      const owner = scope.startsWith('@') ? `${scope}/${name}` : scope;
      const isTop = parts.length === 2;
      return isTop && !BUNDLED.has(owner) ? { id: source, external: true } : found;
    },
  };
}

/** Each module keeps the address that it has in dist; what is a program itself is started from the bundle. Notes them in `modules`. */
function places(dist, output, programs, modules) {
  const addresses = new Map(programs.map((program) => [join(dist, placeOf(program)), `./${nameOf(program)}.js`]));
  return {
    name: 'places',
    /** Who imports a program means its module. */
    resolveId(source, importer) {
      if (importer === undefined) return null;
      const file = source.startsWith('#') ? join(dist, source.slice(1)) : join(dirname(importer), source);
      return addresses.has(file) ? file.replace(/\.js$/, MODULE) : null;
    },
    transform(code, id) {
      if (!id.startsWith(dist + sep)) return null;
      modules.add(posix(relative(dist, id)));
      if (!code.includes('import.meta.')) return null;
      if (/import\.meta\.(?!url\b)/.test(code))
        throw new Error(`${relative(dist, id)}: only import.meta.url is supported`);
      const here = (file) => posix(relative(output, file));
      return code
        .replace(/new URL\((['"])(\.[^'"]+)\1, import\.meta\.url\)/g, (_, quote, path) => {
          const file = join(dirname(id), path);
          return `new URL(${quote}${addresses.get(file) ?? here(file)}${quote}, import.meta.URL)`;
        })
        .replaceAll('import.meta.url', `new URL('${here(id)}', import.meta.url).href`)
        .replaceAll('import.meta.URL', 'import.meta.url');
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPrograms({ root: process.argv[2] });
