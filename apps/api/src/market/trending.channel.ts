import { TrendingParams } from '#libs/serve/contract/live/params.js';
import { TrendingFrame, TrendingSnapshotFrame } from '#libs/serve/contract/live/trending.js';
import { TrendingQuery } from '#libs/serve/contract/rest/market-queries.js';
import type { ScreenerRow } from '#libs/serve/contract/rest/screener-body.js';
import type { KeyDefinition } from '#libs/serve/live/channel.js';
import type { StatsWindowName } from '#libs/serve/reader/read-stats.js';
import { Channel, type LiveChannel } from '../feature/live-channel.js';
import { LiveSubjects } from '../live/live-subjects.js';
import { ListKey, type WatchedList } from './list-key.js';
import { MarketLists } from './market-lists.js';
import { trendingList } from './trending-tokens.js';

const LOOK_EVERY_MS = 5_000;
/** As many as the REST route answers by default. */
const ROWS = new TrendingQuery().limit;

/** The most active tokens of a chain, again every five seconds when the list changed. */
@Channel({
  name: 'trending',
  summary: 'The most active tokens of a chain',
  description: 'The whole list again every 5 seconds, when it changed.',
  parameters: TrendingParams,
  frames: [
    { type: 'snapshot', payload: TrendingSnapshotFrame, summary: 'Replaces all: the list.' },
    { type: 'trending', payload: TrendingFrame, summary: 'The list after it changed, whole.' },
  ],
  twin: 'getTrending',
})
export class TrendingChannel implements LiveChannel<TrendingParams> {
  constructor(
    private readonly subjects: LiveSubjects,
    private readonly lists: MarketLists,
  ) {}

  resolve({ chain, window }: TrendingParams): KeyDefinition {
    const feed = this.subjects.chain(chain);
    const list: WatchedList<ScreenerRow> = {
      everyMs: LOOK_EVERY_MS,
      read: (view) => this.lists.rows(feed.reader, trendingList(window as StatsWindowName), ROWS, view),
      changes: (before, rows) =>
        before !== null && JSON.stringify(before) === JSON.stringify(rows) ? null : { type: 'trending', data: rows },
    };
    const key = `${feed.reader.chain.slug} ${window}`;
    return { key, open: (sink, clock) => new ListKey(feed, list, sink, clock) };
  }
}
