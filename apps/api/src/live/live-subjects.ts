import { Injectable } from '@nestjs/common';
import type { Hex } from '#libs/core/ids.js';
import { badRequest, LiveProblem } from '#libs/live/live-problem.js';
import type { ChainView } from '#libs/reader/chain-view.js';
import { readTokenRecords } from '#libs/reader/read-prices.js';
import { ChainAccess, coinOf } from '../access/chain-access.js';
import type { ChainFeed } from './chain-feed.js';
import { LiveFeeds } from './live-feeds.js';
import { inLiveTerms } from './live-problems.js';

export interface LiveToken {
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

  token(chain: string, token: string): LiveToken {
    const { chain: spec } = inLiveTerms(() => this.access.reader(chain));
    const id = coinOf(spec, token) ?? spec.ids.parseAddress(token);
    if (id === null) throw badRequest(`token is not ${spec.family === 'evm' ? 'an EVM' : 'a Solana'} address`);
    return { feed: this.feeds.of(spec.slug), token: id };
  }
}

/** Why there is nothing to subscribe to: the token is unknown. */
export async function absence(view: ChainView, token: Hex): Promise<LiveProblem | null> {
  if ((await readTokenRecords(view, [token])).has(token)) return null;
  const { ids, slug } = view.chain;
  return new LiveProblem('not_found', `token ${ids.formatAddress(token)} is not known on ${slug}`);
}
