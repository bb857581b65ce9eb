import { servedChains } from '#libs/catalogue/catalogue.js';
import { resolveChain } from '#libs/chains/registry.js';
import { TidepoolError } from '#libs/core/errors.js';
import { badRequest } from '#libs/http/problem.js';
import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import type { LaunchChain } from '#libs/protocol/rest/launch/launch-body.js';
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
