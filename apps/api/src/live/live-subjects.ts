import { Injectable } from '@nestjs/common';
import type { Hex } from '#libs/core/ids.js';
import { badLiveRequest, LiveProblem } from '#libs/serve/live/live-problem.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readTokenRecords } from '#libs/serve/reader/read-prices.js';
import { ChainAccess, coinOf } from '../access/chain-access.js';
import type { ChainFeed } from './chain-feed.js';
import { LiveFeeds } from './live-feeds.js';
import { inLiveTerms } from './live-problems.js';

export interface LiveTokenSubject {
  readonly feed: ChainFeed;
  readonly token: Hex;
}

/** What subscriptions name, in any spelling, among the chains of this instance. */
@Injectable()
export class LiveSubjects {
  constructor(
    private readonly access: ChainAccess,
    private readonly feeds: LiveFeeds,
  ) {}

  /** A chain by any of its names. */
  chain(name: string): ChainFeed {
    const { chain } = inLiveTerms(() => this.access.reader(name));
    return this.feeds.of(chain.slug);
  }

  token(chain: string, token: string): LiveTokenSubject {
    const feed = this.chain(chain);
    return { feed, token: liveToken(feed, 'token', token) };
  }
}

/** Id of a token that a subscription names by its address or as the chain's coin; `name` begins what is said of another. */
export const liveToken = (feed: ChainFeed, name: string, text: string): Hex =>
  coinOf(feed.reader.chain, text) ?? liveAddress(feed, name, text);

export function liveAddress({ reader: { chain } }: ChainFeed, name: string, text: string): Hex {
  const id = chain.ids.parseAddress(text);
  if (id === null) throw badLiveRequest(`${name} is not ${chain.family === 'evm' ? 'an EVM' : 'a Solana'} address`);
  return id;
}

/** Why there is nothing to subscribe to: the token is unknown. */
export async function absence(view: ChainView, token: Hex): Promise<LiveProblem | null> {
  return (await readTokenRecords(view, [token])).has(token) ? null : unknownToken(view, token);
}

export function unknownToken({ chain: { ids, slug } }: ChainView, token: Hex): LiveProblem {
  return new LiveProblem('not_found', `token ${ids.formatAddress(token)} is not known on ${slug}`);
}
