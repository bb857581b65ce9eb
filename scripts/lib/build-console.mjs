// Bundles the console into dist/console with Vite. Incremental: nothing is done while no input changed. The new output
// takes the old one's place as a whole, so that a start meanwhile never serves half of it.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Folders whose sources can end up in the bundle. */
const INPUTS = ['apps/console', 'libs/serve/client', 'libs/serve/contract/rest', 'libs/core'];
const PACKAGES = ['vite', 'preact', '@preact/signals', 'lightweight-charts', 'viem'];

async function inputHash(root) {
  const files = [];
  const visit = async (folder) => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) await visit(path);
      else if (entry.isFile() && !entry.name.includes('.spec.')) files.push(path);
    }
  };
  for (const folder of INPUTS) if (existsSync(join(root, folder))) await visit(join(root, folder));
  const hash = createHash('sha256');
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  for (const name of PACKAGES) hash.update(`${name} ${devDependencies[name] ?? dependencies[name]}\n`);
  hash.update(await readFile(new URL(import.meta.url)));
  for (const file of files.sort())
    hash
      .update(`${relative(root, file)}\0`)
      .update(await readFile(file))
      .update('\0');
  return hash.digest('hex');
}

/** Answers whether it built. A project without a console (a test's) has nothing to build. */
export async function buildConsole({ root, force = false }) {
  if (!existsSync(join(root, 'apps/console/index.html'))) return false;
  const output = join(root, 'dist/console');
  const stamp = join(output, '.inputs');
  const hash = await inputHash(root);
  if (!force && existsSync(stamp) && (await readFile(stamp, 'utf8')) === hash) return false;

  // Every build, a test runner's too, makes what is shipped: packages choose their parts by this variable.
  const environment = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  const { default: config } = await import(pathToFileURL(join(root, 'apps/console/vite.config.mjs')).href);
  const draft = `${output}.${process.pid}`;
  try {
    await build({ ...config, logLevel: 'error', build: { ...config.build, outDir: draft } });
    await writeFile(join(draft, '.inputs'), hash);
    await rm(output, { recursive: true, force: true });
    await rename(draft, output);
  } finally {
    if (environment === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = environment;
    await rm(draft, { recursive: true, force: true });
  }
  return true;
}
