import type { Hex } from '#libs/core/ids.js';
import { badRequest, LiveProblem } from '#libs/live/live-problem.js';
import type { ChainView } from '#libs/reader/chain-view.js';
import { readTokenRecords } from '#libs/reader/read-prices.js';
import type { ChainAccess } from '../../rest/chain-access.js';
import type { ChainFeed } from '../chain-feed.js';
import { inLiveTerms } from './live-problems.js';

/** The chains of this instance and their feeds. */
export interface ChannelDeps {
  readonly access: ChainAccess;
  /** By slug. */
  readonly feeds: ReadonlyMap<string, ChainFeed>;
}

export interface Subject {
  readonly feed: ChainFeed;
  readonly token: Hex;
}

/** The chain and the token that a client named, in any spelling. */
export function subjectOf({ access, feeds }: ChannelDeps, chain: string, token: string): Subject {
  const { chain: spec } = inLiveTerms(() => access.reader(chain));
  const id = spec.ids.parseAddress(token);
  if (id === null) throw badRequest(`token is not ${spec.family === 'evm' ? 'an EVM' : 'a Solana'} address`);
  return { feed: feeds.get(spec.slug)!, token: id };
}

/** Why there is nothing to subscribe to: nobody knows the token. */
export async function absence(view: ChainView, token: Hex): Promise<LiveProblem | null> {
  if ((await readTokenRecords(view, [token])).has(token)) return null;
  const { ids, slug } = view.chain;
  return new LiveProblem('not_found', `token ${ids.formatAddress(token)} is not known on ${slug}`);
}
