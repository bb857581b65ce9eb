// Room: one folder a chain with its addresses, finality and price rules, and the clients of its nodes. May import
// core, protocol.

import { evmIds, type IdFormat } from '#libs/core/ids.js';
import { base } from './base/chain.js';
import { bsc } from './bsc/chain.js';
import type { ChainFamily, ChainManifest } from './chain-manifest.js';
import { ChainRegistry } from './chain-registry.js';
import { chaind } from './chaind/chain.js';
import { eth } from './eth/chain.js';
import { sol } from './sol/chain.js';
import { solanaIds } from './solana/ids.js';

/** One line a chain, in the order in which errors and lists name them. */
// biome-ignore format: one line a chain
export const chainManifests = new ChainRegistry<ChainManifest>([
  sol,
  eth,
  bsc,
  base,
  chaind,
]);

export const chainSlugs: readonly string[] = chainManifests.slugs;

/** The chain with that slug, alias or id (also as a number), in any case; UnknownChainError otherwise. */
export const resolveChain = (nameOrId: string | number): ChainManifest => chainManifests.resolve(nameOrId);

/** How each family writes its ids. */
export const chainIds: Readonly<Record<ChainFamily, IdFormat>> = { evm: evmIds, solana: solanaIds };
