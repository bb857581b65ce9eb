// Module hooks: `./x.js` and `#libs/x.js` name TypeScript sources, which are compiled on load.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from '@swc/core';

const root = new URL('../../../', import.meta.url);

export async function resolve(specifier, context, next) {
  const source = sourceOf(specifier, context.parentURL);
  return source === null ? next(specifier, context) : { url: source, format: 'module', shortCircuit: true };
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const file = fileURLToPath(url);
  const { code } = await transform(await readFile(file, 'utf8'), { filename: file, sourceMaps: 'inline' });
  return { format: 'module', source: code, shortCircuit: true };
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
