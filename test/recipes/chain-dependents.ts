import { relative } from 'node:path';
import { chainSlugs } from '#libs/chain/chains/registry.js';
import type { TreeCopy } from './tree-copy.js';

const REGISTRY = 'libs/chain/chains/registry.ts';

/** A spec that depends on one of these starts nodes or programs: it is left to `npm test` itself. */
const STARTERS = [
  'libs/devkit/devnet/evm/local-chain.ts',
  'libs/devkit/devnet/solana/market/local-solana-market.ts',
  'test/multi-process/program.ts',
];

/** Exports of the registry and of the catalogue that are lists of chains. */
const LISTS = /\b(chainManifests|chainSlugs|configurableChains|listedChains|routedEvmChains|servedChains)\b/;

/** The committed documents enumerate the chains. */
const DOCUMENTS = /\bdocs\/(openapi|asyncapi)\//;

/** From so many names of chains on, a spec may have them all. */
const SEVERAL = 3;

/**
 * The quick specs of a tree that depend on which chains there are. Jest knows who imports the registry; of those, the specs
 * that derive a list from it, name several chains, or compare a document that enumerates them.
 */
export async function specsOfTheChains(tree: TreeCopy): Promise<string[]> {
  const slow = new Set(await specsRelatedTo(tree, STARTERS));
  const related = await specsRelatedTo(tree, [REGISTRY]);
  return related.filter((spec) => !slow.has(spec) && concernsTheList(tree.read(spec)));
}

function concernsTheList(text: string): boolean {
  const named = chainSlugs.filter((slug) => new RegExp(`(?<![\\w.-])${slug}(?![\\w-])`).test(text));
  return LISTS.test(text) || DOCUMENTS.test(text) || named.length >= SEVERAL;
}

async function specsRelatedTo(tree: TreeCopy, files: readonly string[]): Promise<string[]> {
  const output = await tree.jest('--listTests', '--findRelatedTests', ...files);
  const listed = output.split('\n').filter((line) => line.endsWith('.spec.ts'));
  return listed.map((path) => relative(tree.folder, path)).sort();
}
