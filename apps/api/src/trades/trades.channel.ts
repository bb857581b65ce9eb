import type { Hex } from '#libs/core/ids.js';
import type { TradeFact } from '#libs/protocol/facts.js';
import {
  type ChangedTags,
  type RetractedTrade,
  RetractFrame,
  TagsFrame,
  TradesFrame,
  TradesSnapshotFrame,
} from '#libs/serve/contract/live/frames.js';
import { TradesParams } from '#libs/serve/contract/live/params.js';
import { TradesQuery } from '#libs/serve/contract/rest/queries.js';
import type {
  ChannelPosition,
  KeyDefinition,
  KeyDelta,
  KeySink,
  KeySnapshot,
  Pending,
} from '#libs/serve/live/channel.js';
import { LiveProblem } from '#libs/serve/live/live-problem.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { changedTags, tagsIn } from '#libs/serve/reader/read-tags.js';
import { type PlacedTrade, readTrades } from '#libs/serve/reader/read-trades.js';
import type { TailEntry } from '#libs/serve/reader/tail-buffer.js';
import { Channel, type LiveChannel } from '../feature/live-channel.js';
import type { ChainFeed } from '../live/chain-feed.js';
import { FeedKey } from '../live/feed-key.js';
import { inLiveTerms, liveProblemOf, loadInLiveTerms } from '../live/live-problems.js';
import { absence, LiveSubjects } from '../live/live-subjects.js';
import type { RecordsById } from '../live/token-records.js';
import { metaOf } from '../rows/display.js';
import { otherTokens, tagRows, tradeNames, tradeRow, tradeRows } from './trade-rows.js';

/** As many as the REST route answers by default. */
const SNAPSHOT_ROWS = new TradesQuery().limit;
const PAGE = 500;

/** The newest trades of a token, then those of each block, and those that lost their block. */
@Channel({
  name: 'trades',
  summary: 'Trades of a token as they happen',
  parameters: TradesParams,
  frames: [
    { type: 'snapshot', payload: TradesSnapshotFrame, summary: 'Replaces all: the newest trades.' },
    { type: 'trades', payload: TradesFrame, summary: 'The trades of one block.' },
    { type: 'retract', payload: RetractFrame, summary: 'Trades whose block lost its fork: remove them.' },
    { type: 'tags', payload: TagsFrame, summary: 'Tags of wallets whose trades were sent before.' },
  ],
  twin: 'getTokenTrades',
})
export class TradesChannel implements LiveChannel<TradesParams> {
  constructor(private readonly subjects: LiveSubjects) {}

  resolve({ chain, token: named }: TradesParams): KeyDefinition {
    const { feed, token } = this.subjects.token(chain, named);
    const key = `${feed.reader.chain.slug} ${token}`;
    return { key, open: (sink) => new TradesKey(feed, token, sink) };
  }
}

type DeltaMaker = () => KeyDelta | null | Promise<KeyDelta | null>;

const NO_RECORDS: RecordsById = new Map();

/**
 * Invariant: a delta is a function of its group; a retraction lists every trade of the token that was visible in the
 * blocks it takes back, so that a client that held a part of them holds none of them afterwards. Tags that a group changed follow
 * its trades as a second frame: with both, the rows are those of REST at the group.
 */
class TradesKey extends FeedKey {
  constructor(
    feed: ChainFeed,
    private readonly token: Hex,
    sink: KeySink,
  ) {
    super(feed, sink, { tokens: [token], tagsOf: [token] });
  }

  snapshot(): Pending<KeySnapshot> {
    const view = inLiveTerms(() => this.feed.reader.view());
    return this.snapshots.get(this.feed.positionOf(view), () => loadInLiveTerms(() => this.load(view)));
  }

  since(from: ChannelPosition): Pending<KeyDelta[]> | null {
    const { feed } = this;
    const { epoch, seq } = feed;
    const missed = feed.after(from);
    if (missed === null || missed.some((entry) => feed.retractedBy(entry) === null)) return null;
    // A client that got the first frame of its last position may not have got the tags that followed it.
    const last = feed.groupAt(from.seq);
    if (last === null || this.tagsOf(last).length > 0) return null;
    // A retraction among them may have made tokens unknown again that the rows before it still name.
    const recorded = recordsIn([...missed, ...missed.flatMap((entry) => feed.retractedBy(entry) ?? [])]);
    const made = missed.map((entry) => this.delta(entry, recorded, null));
    const ready = async () => (await Promise.all(made.map((make) => make()))).filter((delta) => delta !== null);
    return { epoch, seq, ready: loadInLiveTerms(ready) };
  }

  onGroup(entry: TailEntry): void {
    this.snapshots.drop();
    let make: DeltaMaker;
    try {
      const before = this.feed.retractedBy(entry) === null ? this.feed.viewBefore(entry) : null;
      make = this.delta(entry, NO_RECORDS, before);
    } catch (error) {
      if (!(liveProblemOf(error) instanceof LiveProblem)) throw error;
      // The chain cannot be answered from now, and what the delta needs is not held: only a snapshot can say it.
      this.sink.reload('lost');
      return;
    }
    this.sink.add(make);
  }

  onReset(): void {
    this.snapshots.drop();
    this.sink.reload('lost');
  }

  private async load(view: ChainView): Promise<KeySnapshot> {
    const { token } = this;
    const { trades } = await readTrades(view, { token, limit: SNAPSHOT_ROWS });
    const data = await tradeRows(view, token, trades);
    return { data, meta: metaOf(view), absent: data.length === 0 ? await absence(view, token) : null };
  }

  /**
   * How to make the delta of a group; what it reads is the state of this turn. `before`: where to read what a retraction
   * took back, null when that is held.
   */
  private delta(entry: TailEntry, recorded: RecordsById, before: ChainView | null): DeltaMaker {
    const { feed, token } = this;
    const { group } = entry;
    const { epoch } = feed;
    if (group === null) return () => null;
    if (group.facts.kind === 'block') return this.traded(entry, recorded);
    const tags = this.tagsOf(entry);
    if (before !== null) {
      return async () => this.retracted(entry, epoch, await this.readAbove(before, entry.head.height), tags);
    }
    const gone = visibleTrades(feed.retractedBy(entry)!, token);
    return () => this.retracted(entry, epoch, gone, tags);
  }

  /** Rows of the tags that a group changed. */
  private tagsOf({ group }: TailEntry): ChangedTags[] {
    if (group === null) return [];
    const changed = changedTags(group.facts, ({ token }) => token === this.token);
    return tagRows(this.feed.reader.chain, changed);
  }

  private traded(entry: TailEntry, recorded: RecordsById): DeltaMaker {
    const { token, feed } = this;
    const { height: block, time } = entry.head;
    const trades = entry.group!.tradesOf(token).map((trade): PlacedTrade => ({ ...trade, block, time }));
    const { chain } = feed.reader;
    const { epoch } = feed;
    const place = { epoch, seq: entry.seq, meta: feed.metaAt(entry) };
    const changed = this.tagsOf(entry);
    if (trades.length === 0) return () => (changed.length === 0 ? null : { type: 'tags', ...place, data: changed });
    const tags = tagsIn(entry.group!.facts);
    const delta = (records: RecordsById): KeyDelta => ({
      type: 'trades',
      ...place,
      data: trades.map((trade) => tradeRow(chain, token, trade, { records, tags })),
      ...(changed.length > 0 && { second: { type: 'tags', data: changed } }),
    });
    const records = feed.records.find(otherTokens(token, trades));
    if (!(records instanceof Promise)) return () => delta(records);
    // It may fail before anybody waits for it.
    records.catch(() => undefined);
    return () => records.then((found) => delta(recorded.size === 0 ? found : new Map([...recorded, ...found])));
  }

  private retracted(
    entry: TailEntry,
    epoch: string,
    trades: readonly TradeFact[],
    tags: readonly ChangedTags[],
  ): KeyDelta | null {
    const { feed } = this;
    const { chain } = feed.reader;
    const place = { epoch, seq: entry.seq, meta: feed.metaAt(entry) };
    const second = { type: 'tags', data: tags };
    if (trades.length === 0) return tags.length === 0 ? null : { ...place, ...second };
    const data = trades.map((trade): RetractedTrade => tradeNames(chain, trade));
    return { type: 'retract', ...place, data, ...(tags.length > 0 && { second }) };
  }

  /** Trades above a height, newest first: before a retraction, exactly those that it takes back. */
  private async readAbove(view: ChainView, height: number): Promise<PlacedTrade[]> {
    const found: PlacedTrade[] = [];
    let before: { block: number; ordinal: number } | undefined;
    for (;;) {
      const { trades, more } = await readTrades(view, { token: this.token, before, limit: PAGE });
      const above = trades.filter((trade) => trade.block > height);
      found.push(...above);
      const last = above[above.length - 1];
      if (!more || last === undefined || above.length < trades.length) return found;
      before = { block: last.block, ordinal: last.ordinal };
    }
  }
}

/** Trades of a token in retracted groups, newest first, without those of groups that were retracted among them. */
function visibleTrades(entries: readonly TailEntry[], token: Hex) {
  const gone = entries.flatMap(({ retracts }) => (retracts === null ? [] : [retracts]));
  const alive = entries.filter(({ seq }) => !gone.some((range) => seq >= range.fromSeq && seq < range.retractSeq));
  return alive.flatMap(({ group }) => group?.tradesOf(token) ?? []).reverse();
}

/** Metadata that became known in some groups. */
function recordsIn(entries: readonly TailEntry[]): RecordsById {
  const records = entries.flatMap(({ group }) => (group?.facts.kind === 'block' ? group.facts.tokens : []));
  return new Map(records.map((record) => [record.token, record]));
}
