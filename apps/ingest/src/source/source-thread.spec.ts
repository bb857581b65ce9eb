import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { servedChains } from '#libs/chain/catalogue/catalogue.js';
import { chainValues } from './source-thread.js';

/**
 * The engine must not even be loaded in a worker thread: when the thread ends, the engine's connections of the main
 * thread go with it and its next query crashes the process. So nothing that the source thread imports may import chdb.
 */
const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../../../..');
const STATIC_IMPORT = /^(?:import|export)\s+(?!type\b)[^;]*?from\s+'([^']+)'/gm;

function pathOf(specifier: string, from: string): string | null {
  const path = specifier.replace(/\.js$/, '.ts');
  if (path.startsWith('.')) return resolve(dirname(from), path);
  if (path.startsWith('#')) return join(root, path.slice(1));
  return null;
}

function importsOf(start: string): Map<string, string[]> {
  const graph = new Map<string, string[]>();
  const open = [start];
  while (open.length > 0) {
    const file = open.pop()!;
    if (graph.has(file) || !existsSync(file)) continue;
    const specifiers = [...readFileSync(file, 'utf8').matchAll(STATIC_IMPORT)].map((match) => match[1]!);
    graph.set(file, specifiers);
    for (const specifier of specifiers) {
      const path = pathOf(specifier, file);
      if (path !== null) open.push(path);
    }
  }
  return graph;
}

it('the source thread loads no analytics engine', () => {
  const graph = importsOf(join(here, 'source-thread-main.ts'));
  expect(graph.size).toBeGreaterThan(20);
  const loading = [...graph].filter(([, specifiers]) => specifiers.includes('chdb')).map(([file]) => file);
  expect(loading).toEqual([]);
});

it.each(servedChains().map((chain) => [chain.slug, chain] as const))('%s can be sent to a thread', (_, chain) => {
  expect(structuredClone(chainValues(chain))).toEqual(chainValues(chain));
});
