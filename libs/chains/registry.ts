import { TidepoolError } from '#libs/core/errors.js';
import { evmIds, type IdFormat } from '#libs/core/ids.js';
import { base } from './base/chain.js';
import { bsc } from './bsc/chain.js';
import type { ChainFamily, ChainIdentity, ChainSpec } from './chain-spec.js';
import { chaind } from './chaind/chain.js';
import { eth } from './eth/chain.js';
import { knownChains } from './known-chains.js';
import { sol } from './sol/chain.js';
import { solanaIds } from './solana/ids.js';

/** A name or id that no chain has. The message names the valid slugs, so that it can be shown as it is. */
export class UnknownChainError extends TidepoolError {
  constructor(asked: string) {
    const shown = JSON.stringify(asked.length > 40 ? `${asked.slice(0, 40)}…` : asked);
    super('unknown_chain', `unknown chain ${shown}: use one of ${chainSlugs.join(', ')}`);
  }
}

/**
 * Chains by every accepted name: slug, alias or id, in any case. A name belongs to exactly one chain; a second claim on
 * it stops the boot.
 */
export class ChainRegistry {
  private readonly byName = new Map<string, ChainIdentity>();
  private readonly specs = new Map<string, ChainSpec>();

  constructor(known: readonly ChainIdentity[], served: readonly ChainSpec[]) {
    for (const chain of known) {
      const names = new Set([
        chain.slug,
        ...chain.aliases,
        ...[chain.networkId, ...(chain.formerIds ?? [])].map(String),
      ]);
      for (const name of names) {
        const key = name.toLowerCase();
        const owner = this.byName.get(key);
        if (owner) throw new TidepoolError('duplicate_chain', `${name} names both ${owner.slug} and ${chain.slug}`);
        this.byName.set(key, chain);
      }
    }
    for (const spec of served) {
      if (this.specs.has(spec.slug)) throw new TidepoolError('duplicate_chain', `chain ${spec.slug} registered twice`);
      const identity = this.byName.get(spec.slug);
      if (!identity || identity.networkId !== spec.networkId) {
        throw new TidepoolError('unknown_chain', `chain ${spec.slug} is served but not among the known names`);
      }
      const venues = new Set<string>();
      for (const venue of spec.venues) {
        if (venues.has(venue.venue)) {
          throw new TidepoolError('duplicate_venue', `venue ${venue.venue} registered twice on ${spec.slug}`);
        }
        venues.add(venue.venue);
      }
      this.specs.set(spec.slug, spec);
    }
  }

  find(nameOrId: string | number): ChainIdentity | null {
    return this.byName.get(String(nameOrId).toLowerCase()) ?? null;
  }

  resolve(nameOrId: string | number): ChainIdentity {
    const chain = this.find(nameOrId);
    if (!chain) throw new UnknownChainError(String(nameOrId));
    return chain;
  }

  /** The whole spec of a chain that this program can index, or null for one it only knows by name. */
  spec(slug: string): ChainSpec | null {
    return this.specs.get(slug) ?? null;
  }

  served(): ChainSpec[] {
    return [...this.specs.values()];
  }
}

export const chainSlugs: readonly string[] = knownChains.map((chain) => chain.slug);

/** One line a chain, in the order of the known ones. */
export const chains = new ChainRegistry(knownChains, [sol, eth, bsc, base, chaind]);

/** Identity of the chain with that slug, alias or id (also as a number), in any case; UnknownChainError otherwise. */
export const resolveChain = (nameOrId: string | number): ChainIdentity => chains.resolve(nameOrId);

/** Spec of a chain that this program can index; null when it is known but not served yet. */
export const chainSpec = (slug: string): ChainSpec | null => chains.spec(slug);

/** All chains that this program can index. */
export const servedChains = (): ChainSpec[] => chains.served();

/** How each family writes its ids. */
export const chainIds: Readonly<Record<ChainFamily, IdFormat>> = { evm: evmIds, solana: solanaIds };

/**
 * Every known chain with whether this program can index it: what the configuration has to know of chains. Without any
 * configuration they are started in this order.
 */
export const configurableChains = knownChains
  .map((chain) => ({ ...chain, served: chainSpec(chain.slug) !== null }))
  .sort((a, b) => Number(b.slug === 'eth') - Number(a.slug === 'eth'));
