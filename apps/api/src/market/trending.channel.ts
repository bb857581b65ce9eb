import type { KeyDefinition, KeyDelta, KeySink, KeySnapshot, KeySource, Pending } from '#libs/live/channel.js';
import type { LiveClock } from '#libs/live/live-options.js';
import { LiveProblem } from '#libs/live/live-problem.js';
import { TrendingParams } from '#libs/protocol/live/params.js';
import { TrendingFrame, TrendingSnapshotFrame } from '#libs/protocol/live/trending.js';
import { TrendingQuery } from '#libs/protocol/rest/market-queries.js';
import type { ScreenerRow } from '#libs/protocol/rest/screener-body.js';
import type { ChainView } from '#libs/reader/chain-view.js';
import type { StatsWindowName } from '#libs/reader/read-stats.js';
import { Channel, type LiveChannel } from '../feature/live-channel.js';
import type { ChainFeed, FeedListener } from '../live/chain-feed.js';
import { KeySnapshots } from '../live/key-snapshots.js';
import { inLiveTerms, loadInLiveTerms } from '../live/live-problems.js';
import { LiveSubjects } from '../live/live-subjects.js';
import { metaOf } from '../rows/display.js';
import { MarketLists } from './market-lists.js';

export const LOOK_EVERY_MS = 5_000;
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
  access: 'keyed',
  cost: 'stream',
})
export class TrendingChannel implements LiveChannel<TrendingParams> {
  constructor(
    private readonly subjects: LiveSubjects,
    private readonly lists: MarketLists,
  ) {}

  resolve({ chain, window }: TrendingParams): KeyDefinition {
    const feed = this.subjects.chain(chain);
    const read: ReadList = (view) => this.lists.trendingRows(feed.reader, window as StatsWindowName, ROWS, view);
    const key = `${feed.reader.chain.slug} ${window}`;
    return { key, open: (sink, clock) => new TrendingKey(feed, read, sink, clock) };
  }
}

/** The list at a view, or the one of a moment ago. */
type ReadList = (view?: ChainView) => Promise<{ view: ChainView; rows: ScreenerRow[] }>;

/**
 * Invariant: all who follow hold the same list, `last`. Who comes gets that one, at the position at which it was looked at last,
 * so that the next change is one for all.
 */
class TrendingKey implements KeySource, FeedListener {
  private readonly snapshots = new KeySnapshots();
  private readonly stop: () => void;
  private cancel: () => void = () => undefined;
  private last: (KeyDelta & { readonly said: string }) | null = null;
  private looking = false;
  /** The latest position of a list that was given out: one from before it would be a step back. */
  private shown = -1;

  constructor(
    private readonly feed: ChainFeed,
    private readonly read: ReadList,
    private readonly sink: KeySink,
    private readonly clock: LiveClock,
  ) {
    this.stop = feed.add({}, this);
    this.wait();
  }

  snapshot(discarded: boolean): Pending<KeySnapshot> {
    const view = inLiveTerms(() => this.feed.reader.view());
    if (discarded) this.forget();
    if (this.last !== null) {
      const { epoch, seq, data, meta } = this.last;
      return { epoch, seq, ready: Promise.resolve({ data, meta, absent: null }) };
    }
    this.shown = Math.max(this.shown, view.pin.seq);
    return this.snapshots.get(this.feed.positionOf(view), () =>
      loadInLiveTerms(async () => {
        const { rows } = await this.read(view);
        return { data: rows, meta: metaOf(view), absent: null };
      }),
    );
  }

  /** What a client held elsewhere is not known here. */
  since(): null {
    return null;
  }

  /** A retraction changes the list as a block does: the next look finds it. */
  onGroup(): void {}

  onReset(): void {
    this.forget();
    this.sink.reload('lost');
  }

  onAvailable(): void {
    this.sink.available();
  }

  close(): void {
    this.cancel();
    this.stop();
  }

  private forget(): void {
    this.snapshots.drop();
    this.last = null;
    this.looking = false;
    this.shown = -1;
  }

  private wait(): void {
    this.cancel = this.clock.after(LOOK_EVERY_MS, () => {
      this.wait();
      if (this.looking) return;
      this.looking = true;
      this.sink.add(() => this.look());
    });
  }

  private async look(): Promise<KeyDelta | null> {
    const { epoch } = this.feed;
    try {
      const { view, rows } = await loadInLiveTerms(() => this.read());
      const { pin } = inLiveTerms(() => this.feed.reader.view());
      // Read before what is served now: the next look reads that.
      const other = view.pin.epoch !== pin.epoch || view.pin.generation !== pin.generation || epoch !== this.feed.epoch;
      if (other || view.pin.seq <= this.shown) return null;
      this.shown = view.pin.seq;
      const before = this.last?.said;
      const delta: KeyDelta = { type: 'trending', epoch, seq: view.pin.seq, data: rows, meta: metaOf(view) };
      this.last = { ...delta, said: JSON.stringify(rows) };
      return this.last.said === before ? null : delta;
    } catch (error) {
      // The list stays as it is until it can be read again.
      if (error instanceof LiveProblem) return null;
      throw error;
    } finally {
      this.looking = false;
    }
  }
}
