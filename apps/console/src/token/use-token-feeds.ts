import { useEffect, useMemo } from 'preact/hooks';
import type { Clients } from '../state/clients.js';
import { PageMoment } from './page-moment.js';
import { MOST_ROWS, TapeFeed } from './tape-feed.js';
import { TokenFeed } from './token-feed.js';

export interface TokenFeeds {
  readonly moment: PageMoment;
  readonly tape: TapeFeed;
  readonly live: TokenFeed;
}

/** Trades and figures of a token, which change in one moment, until the page is left. */
export function useTokenFeeds(clients: Clients, chain: string, token: string, rows = MOST_ROWS): TokenFeeds {
  const feeds = useMemo(() => {
    const moment = new PageMoment();
    const about = { chain, token };
    return {
      moment,
      tape: new TapeFeed(clients, { channel: 'trades', ...about }, moment, rows),
      live: new TokenFeed(clients, { channel: 'token', ...about }, moment),
    };
  }, [clients, chain, token, rows]);
  useEffect(
    () => () => {
      feeds.tape.stop();
      feeds.live.stop();
    },
    [feeds],
  );
  return feeds;
}
