import type { ChannelPosition, KeyDelta, KeySnapshot, Pending } from '#libs/serve/live/channel.js';
import { LiveProblem } from '#libs/serve/live/live-problem.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import type { TailEntry } from '#libs/serve/reader/tail-buffer.js';
import { metaOf } from '../rows/display.js';
import { FeedKey } from './feed-key.js';
import { inLiveTerms, liveProblemOf, loadInLiveTerms } from './live-problems.js';

/** What a delta says; its position and `meta` are those of the view that it was read from. */
export type KeyChange = Pick<KeyDelta, 'type' | 'data' | 'extraFields'>;

/** Groups whose delta waits for its turn, and the view after the last of them: all of them before the next client joins, or all after. */
interface Gathered<Note> {
  view: ChainView;
  readonly notes: Note[];
  /** What was remembered of frames when it began. */
  readonly run: number;
}

/**
 * A key whose rows are read from views: what groups noted says what to read again, and one delta at the newest view covers all
 * groups that came while the one before was being made.
 * Invariant: the rows of a frame are those that REST answers at the frame's position. A retraction of a block that some client
 * may have rows of ends in a fresh snapshot; one of later blocks alone took back nothing that was sent.
 */
export abstract class ViewKey<Note> extends FeedKey {
  private gathered: Gathered<Note> | null = null;
  /** No client has rows of a later position from here. */
  private shown = -1;
  /** Counts the times that what was remembered of frames was given up. */
  protected run = 0;

  snapshot(discarded: boolean): Pending<KeySnapshot> {
    const view = inLiveTerms(() => this.feed.reader.view());
    this.gathered = null;
    if (discarded) this.restarted();
    const position = this.feed.positionOf(view);
    this.snapshots.keepAt(position);
    this.show(view);
    return this.snapshots.get(position, () => loadInLiveTerms(() => this.load(view)));
  }

  since(from: ChannelPosition): Pending<KeyDelta[]> | null {
    const missed = this.feed.after(from);
    if (missed === null || missed.some(({ retracts }) => retracts !== null)) return null;
    const view = inLiveTerms(() => this.feed.reader.view());
    const position = this.feed.positionOf(view);
    this.gathered = null;
    this.show(view);
    const notes = missed.map((entry) => this.noteOf(entry)).filter((note) => note !== null);
    if (notes.length === 0) return { ...position, ready: Promise.resolve([]) };
    const ready = async () => {
      const change = await this.change(view, notes);
      return change === null ? [] : [{ ...position, ...change, meta: metaOf(view) }];
    };
    return { ...position, ready: loadInLiveTerms(ready) };
  }

  onGroup(entry: TailEntry): void {
    const { retracts } = entry;
    if (retracts !== null) {
      if (retracts.fromSeq > this.shown) return;
      this.restarted();
      this.sink.reload('replaced');
      return;
    }
    const note = this.liveNoteOf(entry);
    if (note === null) return;
    let view: ChainView;
    try {
      view = this.feed.reader.view();
    } catch (error) {
      if (!(liveProblemOf(error) instanceof LiveProblem)) throw error;
      this.sink.reload('lost');
      return;
    }
    this.gather(view, note);
  }

  onReset(): void {
    this.shown = -1;
    this.restarted();
    this.sink.reload('lost');
  }

  /** The whole state at a view. */
  protected abstract load(view: ChainView): Promise<KeySnapshot>;

  /** What a block means for this key; null: nothing. */
  protected abstract noteOf(entry: TailEntry): Note | null;

  /** What is to be sent at a view for the blocks of these notes; null: nothing. */
  protected abstract change(view: ChainView, notes: readonly Note[]): Promise<KeyChange | null>;

  /** The same as `noteOf` for a block that has just come: a key may leave out what it said a moment ago. */
  protected liveNoteOf(entry: TailEntry): Note | null {
    return this.noteOf(entry);
  }

  /** The part of a delta that the ones before it did not say; null: nothing. */
  protected news(change: KeyChange): KeyChange | null {
    return change;
  }

  /** Snapshots follow: what was remembered of frames holds no longer. */
  protected restarted(): void {
    this.snapshots.drop();
    this.gathered = null;
    this.run++;
  }

  /** One more delta is due, at the newest view. */
  protected gather(view: ChainView, note: Note): void {
    this.show(view);
    if (this.gathered !== null) {
      this.gathered.view = view;
      this.gathered.notes.push(note);
      return;
    }
    const gathered: Gathered<Note> = { view, notes: [note], run: this.run };
    const { epoch } = this.feed;
    this.gathered = gathered;
    this.sink.add(() => {
      if (this.gathered === gathered) this.gathered = null;
      return loadInLiveTerms(() => this.delta(gathered, epoch));
    });
  }

  private async delta({ view, notes, run }: Gathered<Note>, epoch: string): Promise<KeyDelta | null> {
    const change = await this.change(view, notes);
    // The snapshots that follow what was given up have it.
    const news = change === null || run !== this.run ? null : this.news(change);
    return news && { epoch, seq: view.pin.seq, ...news, meta: metaOf(view) };
  }

  private show(view: ChainView): void {
    this.shown = Math.max(this.shown, view.pin.seq);
  }
}
