import { TidepoolError } from '#libs/core/errors.js';
import type { ChainIdentity } from './chain-manifest.js';

/** A name or id that no chain has. The message names the valid slugs, so that it can be shown as it is. */
export class UnknownChainError extends TidepoolError {
  constructor(asked: string, slugs: readonly string[]) {
    const shown = JSON.stringify(asked.length > 40 ? `${asked.slice(0, 40)}…` : asked);
    super('unknown_chain', `unknown chain ${shown}: use one of ${slugs.join(', ')}`);
  }
}

/**
 * Chains by every accepted name: slug, alias or id, in any case. A name belongs to exactly one chain; a second claim on
 * it stops the boot.
 */
export class ChainRegistry<Chain extends ChainIdentity> {
  readonly slugs: readonly string[];
  private readonly byName = new Map<string, Chain>();

  constructor(readonly all: readonly Chain[]) {
    this.slugs = all.map(({ slug }) => slug);
    for (const chain of all) {
      const names = [chain.slug, ...chain.aliases, ...[chain.networkId, ...(chain.formerIds ?? [])].map(String)];
      for (const key of new Set(names.map((name) => name.toLowerCase()))) {
        const owner = this.byName.get(key);
        if (owner) throw new TidepoolError('duplicate_chain', `${key} names both ${owner.slug} and ${chain.slug}`);
        this.byName.set(key, chain);
      }
    }
  }

  find(nameOrId: string | number): Chain | null {
    return this.byName.get(String(nameOrId).toLowerCase()) ?? null;
  }

  resolve(nameOrId: string | number): Chain {
    const chain = this.find(nameOrId);
    if (!chain) throw new UnknownChainError(String(nameOrId), this.slugs);
    return chain;
  }
}
