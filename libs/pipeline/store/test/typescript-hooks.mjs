// Module hooks: `./x.js` and `#libs/x.js` name TypeScript sources, which are compiled on load, once for all processes that
// share a temporary folder: a kill test starts dozens of them.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = new URL('../../../../', import.meta.url);
const compiled = join(tmpdir(), 'tidepool-compiled');
await mkdir(compiled, { recursive: true });

export async function resolve(specifier, context, next) {
  const source = sourceOf(specifier, context.parentURL);
  return source === null ? next(specifier, context) : { url: source, format: 'module', shortCircuit: true };
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  return { format: 'module', source: await compile(fileURLToPath(url)), shortCircuit: true };
}

/** Kept under the hash of what it is made of. */
async function compile(file) {
  const text = await readFile(file, 'utf8');
  const kept = join(compiled, createHash('sha256').update(file).update('\0').update(text).digest('hex'));
  const known = await readFile(kept, 'utf8').catch(() => null);
  if (known !== null) return known;
  const { transform } = await import('@swc/core');
  const { code } = await transform(text, { filename: file, sourceMaps: 'inline' });
  // Renamed into place: another process never reads half of it.
  const own = `${kept}.${process.pid}`;
  await writeFile(own, code);
  await rename(own, kept);
  return code;
}

function sourceOf(specifier, parent) {
  if (specifier.endsWith('.ts')) return new URL(specifier, parent).href;
  const match = /^#(libs|apps)\/(.*)\.js$/.exec(specifier);
  const url = match
    ? new URL(`${match[1]}/${match[2]}.ts`, root)
    : /^\.{1,2}\/.*\.js$/.test(specifier) && parent?.endsWith('.ts')
      ? new URL(specifier.replace(/\.js$/, '.ts'), parent)
      : null;
  return url !== null && existsSync(fileURLToPath(url)) ? pathToFileURL(fileURLToPath(url)).href : null;
}
