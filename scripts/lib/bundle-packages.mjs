// Large packages as few files for the specs: jest loads every module of a package again for every suite, and viem alone has
// 340. scripts/test.mjs makes them before it runs jest; jest.config.mjs leads imports there where they are.
// Invariant: all of them are one bundle, so that what they share (a decorator's metadata, a class) exists once.
// Kept since without it suites of the API take a tenth more of processor time (2.5 -> 2.8 s).
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { replaceFile } from './build-programs.mjs';

const IMPORTS = [
  ...['viem', 'viem/accounts', 'viem/chains', 'undici', 'class-validator', 'rxjs'],
  ...['@nestjs/common', '@nestjs/core', '@nestjs/testing', '@nestjs/websockets'],
  '@nestjs/websockets/gateway-metadata-explorer.js',
];
const PACKAGES =
  /^(viem|abitype|ox|@noble\/\w+|undici|class-\w+|validator|libphonenumber-js|rxjs|@nestjs\/\w+|iterare|uid|path-to-regexp|object-hash|fast-safe-stringify|tslib)(\/|$)/;

const folderOf = (project) => join(project, 'node_modules/.cache/tidepool-packages');
const nameOf = (id) => `${id.replace(/\.js$/, '').replaceAll(/[/@]/g, '_')}.js`;

/** For jest's `moduleNameMapper`; empty where nothing was bundled. */
export function bundledPackages(project) {
  if (!existsSync(join(folderOf(project), '.key'))) return {};
  const escaped = (id) => id.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return Object.fromEntries(IMPORTS.map((id) => [`^${escaped(id)}$`, join(folderOf(project), nameOf(id))]));
}

export async function bundlePackages(project) {
  const folder = folderOf(project);
  const hash = createHash('sha256').update(await readFile(fileURLToPath(import.meta.url)));
  const key = hash.update(await readFile(join(project, 'package-lock.json'))).digest('hex');
  if ((await readFile(join(folder, '.key'), 'utf8').catch(() => '')) === key) return;
  const entries = new Map();
  for (const id of IMPORTS) {
    // Node 24 also names the whole of a CommonJS module, with what is no identifier.
    const names = Object.keys(await import(id)).filter((name) => /^[\w$]+$/.test(name));
    entries.set(`\0${id}`, `export { ${names.join(', ')} } from '${id}';\n`);
  }
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    cwd: project,
    input: Object.fromEntries(IMPORTS.map((id) => [nameOf(id).slice(0, -3), `\0${id}`])),
    platform: 'node',
    treeshake: false,
    plugins: [entriesAndOthers(entries)],
    onLog: (level, log, say) => log.code === 'UNRESOLVED_IMPORT' || say(level, log),
  });
  const { output } = await build.generate({ format: 'esm', keepNames: true, chunkFileNames: '[name]-[hash].js' });
  await build.close();
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const { fileName, code } of output) await replaceFile(join(folder, fileName), (path) => writeFile(path, code));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n');
  await writeFile(join(folder, '.key'), key);
}

/** What is no part of PACKAGES is loaded as ever. */
const entriesAndOthers = (entries) => ({
  name: 'entries',
  resolveId(source, importer) {
    if (entries.has(source)) return source;
    const isInside = importer === undefined || source.startsWith('.') || PACKAGES.test(source);
    return isInside ? null : { id: source, external: true };
  },
  load: (id) => entries.get(id) ?? null,
});
