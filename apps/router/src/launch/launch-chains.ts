import { servedChains } from '#libs/chain/catalogue/catalogue.js';
import { resolveChain } from '#libs/chain/chains/registry.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { LaunchChain } from '#libs/serve/contract/rest/launch/launch-body.js';
import { badRequest } from '#libs/serve/http/problem.js';
import { platformsOf } from './builders.js';

/** Every chain, with or without a node: a create brings its own. */
export const launchChains = (): LaunchChain[] => servedChains().map(launchChain);

export const launchChain = (spec: ChainSpec): LaunchChain => ({
  ...{ slug: spec.slug, aliases: [...spec.aliases], networkId: spec.networkId, family: spec.family },
  ...platformsOf(spec),
});

/** The chain of that slug, alias or id, in any case; a 400 that names the valid ones. */
export function launchChainOf(name: string): ChainSpec {
  let slug: string;
  try {
    ({ slug } = resolveChain(name));
  } catch (error) {
    if (!(error instanceof TidepoolError)) throw error;
    throw badRequest(error.message);
  }
  return servedChains().find((spec) => spec.slug === slug)!;
}

/** The envelope of the launch routes. */
export const launched = (data: unknown): string => JSON.stringify({ ok: true, data, error: null, nextCursor: null });
