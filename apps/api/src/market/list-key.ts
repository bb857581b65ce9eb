import type { KeyDelta, KeySink, KeySnapshot, Pending } from '#libs/serve/live/channel.js';
import type { LiveClock } from '#libs/serve/live/live-options.js';
import { LiveProblem } from '#libs/serve/live/live-problem.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import type { ChainFeed } from '../live/chain-feed.js';
import { FeedKey } from '../live/feed-key.js';
import { inLiveTerms, loadInLiveTerms } from '../live/live-problems.js';
import { metaOf } from '../rows/display.js';

/** A list of the market that is looked at from time to time. */
export interface WatchedList<Row> {
  readonly everyMs: number;
  /** The list at a view, or the one of a moment ago. */
  read(view?: ChainView): Promise<{ view: ChainView; rows: Row[] }>;
  /** What to send to those who hold the rows before; null: nothing. Without rows before, the whole list. */
  changes(before: readonly Row[] | null, rows: readonly Row[]): ListChange | null;
}

type ListChange = Pick<KeyDelta, 'type' | 'data' | 'second'>;

/**
 * Invariant: all who follow hold the same list, `last`. Who comes gets that one, at the position at which it was looked at last,
 * so that the next change is one for all.
 */
export class ListKey<Row> extends FeedKey {
  private cancel: () => void = () => undefined;
  private last: { epoch: string; seq: number; rows: Row[]; meta: unknown } | null = null;
  private looking = false;
  /** The latest position of a list that was given out: one from before it would be a step back. */
  private shown = -1;
  private run = 0;

  constructor(
    feed: ChainFeed,
    private readonly list: WatchedList<Row>,
    sink: KeySink,
    private readonly clock: LiveClock,
  ) {
    super(feed, sink, {});
    this.wait();
  }

  snapshot(discarded: boolean): Pending<KeySnapshot> {
    const view = inLiveTerms(() => this.feed.reader.view());
    if (discarded) this.forget();
    if (this.last !== null) {
      const { epoch, seq, rows: data, meta } = this.last;
      return { epoch, seq, ready: Promise.resolve({ data, meta, absent: null }) };
    }
    this.shown = Math.max(this.shown, view.pin.seq);
    const { run } = this;
    const position = this.feed.positionOf(view);
    return this.snapshots.get(position, () =>
      loadInLiveTerms(async () => {
        const { rows } = await this.list.read(view);
        const meta = metaOf(view);
        if (run === this.run) this.last ??= { ...position, rows, meta };
        return { data: rows, meta, absent: null };
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

  override close(): void {
    this.cancel();
    super.close();
  }

  private forget(): void {
    this.snapshots.drop();
    this.last = null;
    this.looking = false;
    this.shown = -1;
    this.run++;
  }

  private wait(): void {
    this.cancel = this.clock.after(this.list.everyMs, () => {
      this.wait();
      if (this.looking) return;
      this.looking = true;
      this.sink.add(() => this.look());
    });
  }

  private async look(): Promise<KeyDelta | null> {
    const { epoch } = this.feed;
    try {
      const { view, rows } = await loadInLiveTerms(() => this.list.read());
      const { pin } = inLiveTerms(() => this.feed.reader.view());
      // Read before what is served now: the next look reads that.
      const other = view.pin.epoch !== pin.epoch || view.pin.generation !== pin.generation || epoch !== this.feed.epoch;
      if (other || view.pin.seq <= this.shown) return null;
      this.shown = view.pin.seq;
      const before = this.last?.rows ?? null;
      const meta = metaOf(view);
      this.last = { epoch, seq: view.pin.seq, rows, meta };
      const change = this.list.changes(before, rows);
      return change && { epoch, seq: view.pin.seq, ...change, meta };
    } catch (error) {
      // The list stays as it is until it can be read again.
      if (error instanceof LiveProblem) return null;
      throw error;
    } finally {
      this.looking = false;
    }
  }
}
