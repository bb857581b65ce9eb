import { chainManifests } from '#libs/chain/chains/registry.js';
import type { JsonValue } from '#libs/serve/http/json-body.js';
import { badRequest } from '#libs/serve/http/problem.js';
import { type ParameterSource, parameterText, shown } from '../../http/parameter-source.js';
import type { EvmChain } from '../ports.js';

/** The router's EVM chains by slug, alias and id, in any case; an id may also be a JSON number. */
export class ChainNames {
  private readonly byName = new Map<string, EvmChain>();
  private readonly slugs: string;

  constructor(chains: readonly EvmChain[]) {
    for (const chain of chains) {
      const { slug, aliases, networkId } = chain.spec;
      for (const name of [slug, ...aliases, String(networkId)]) this.byName.set(name.toLowerCase(), chain);
    }
    this.slugs = chains.map((chain) => chain.spec.slug).join(', ');
  }

  /** The chain that `chain` or `chainId` names; both may be given when they agree. */
  read(source: ParameterSource): EvmChain {
    const byName = this.named(source, 'chain');
    const byId = this.named(source, 'chainId');
    const chain = byName ?? byId;
    if (chain === null) throw badRequest(`chain is required: one of ${this.slugs}`);
    if (byId !== null && byId !== chain) {
      throw badRequest(`chain and chainId must name the same chain: ${chain.spec.slug} is not ${byId.spec.slug}`);
    }
    return chain;
  }

  private named(source: ParameterSource, parameter: string): EvmChain | null {
    const given = source.one(parameter);
    return given === undefined ? null : this.resolve(parameter, given);
  }

  of(slug: string): EvmChain | null {
    return this.byName.get(slug) ?? null;
  }

  private resolve(parameter: string, given: JsonValue): EvmChain {
    const name = parameterText(given)?.toLowerCase();
    const chain = name === undefined ? undefined : this.byName.get(name);
    if (chain !== undefined) return chain;
    const other = chainManifests.all.find(
      ({ slug, aliases, networkId }) => name === slug || name === String(networkId) || aliases.includes(name ?? ''),
    );
    throw badRequest(
      other === undefined
        ? `${parameter} must be one of ${this.slugs}; ${shown(given)} is no chain`
        : `${parameter} must be one of ${this.slugs} on the EVM routes; ${other.slug} is not among them`,
    );
  }
}
