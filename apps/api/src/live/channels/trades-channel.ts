import type { Hex } from '#libs/core/ids.js';
import type {
  ChannelDefinition,
  KeyDefinition,
  KeyDelta,
  KeySink,
  KeySnapshot,
  KeySource,
  Pending,
  Position,
} from '#libs/live/channel.js';
import { badRequest, LiveProblem } from '#libs/live/live-problem.js';
import type { TradeFact } from '#libs/protocol/facts.js';
import type { RetractedTrade } from '#libs/protocol/live/frames.js';
import { TradesParams } from '#libs/protocol/live/params.js';
import { ParamsReader } from '#libs/protocol/live/params-reader.js';
import { TradesQuery } from '#libs/protocol/rest/queries.js';
import type { ChainView } from '#libs/reader/chain-view.js';
import { type PlacedTrade, readTrades } from '#libs/reader/read-trades.js';
import type { TailEntry } from '#libs/reader/tail-buffer.js';
import { metaOf } from '../../rest/display.js';
import { otherTokens, tradeNames, tradeRow, tradeRows } from '../../rest/trade-rows.js';
import type { ChainFeed, FeedListener } from '../chain-feed.js';
import type { RecordsById } from '../token-records.js';
import { KeySnapshots } from './key-snapshots.js';
import { inLiveTerms, liveProblemOf, loadInLiveTerms } from './live-problems.js';
import { absence, type ChannelDeps, subjectOf } from './subject.js';

const params = new ParamsReader(TradesParams);
/** As many as the REST route answers when it is not told. */
const SNAPSHOT_ROWS = new TradesQuery().limit;
const PAGE = 500;

/** `trades`: the newest trades of a token, then those of each block, and those that lost their block. */
export function tradesChannel(deps: ChannelDeps): ChannelDefinition {
  return {
    name: 'trades',
    resolve(given): KeyDefinition {
      const outcome = params.read(given);
      if ('problem' in outcome) throw badRequest(outcome.problem);
      const { feed, token } = subjectOf(deps, outcome.value.chain, outcome.value.token);
      const key = `${feed.reader.chain.slug} ${token}`;
      return { key, open: (sink) => new TradesKey(feed, token, sink) };
    },
  };
}

type DeltaMaker = () => KeyDelta | null | Promise<KeyDelta | null>;

const NO_RECORDS: RecordsById = new Map();

/**
 * Invariant: a delta is a function of its group; a retraction lists every trade of the token that was visible in the
 * blocks it takes back, so that a client that held a part of them holds none of them afterwards.
 */
export class TradesKey implements KeySource, FeedListener {
  private readonly snapshots = new KeySnapshots();
  private readonly stop: () => void;

  constructor(
    private readonly feed: ChainFeed,
    private readonly token: Hex,
    private readonly sink: KeySink,
  ) {
    this.stop = feed.add({ token, references: false }, this);
  }

  snapshot(): Pending<KeySnapshot> {
    const view = inLiveTerms(() => this.feed.reader.view());
    return this.snapshots.get(this.feed.positionOf(view), () => loadInLiveTerms(() => this.load(view)));
  }

  since(from: Position): Pending<KeyDelta[]> | null {
    const { feed } = this;
    const { epoch, seq } = feed;
    const missed = feed.after(from);
    if (missed === null || missed.some((entry) => feed.retractedBy(entry) === null)) return null;
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

  onAvailable(): void {
    this.sink.available();
  }

  close(): void {
    this.stop();
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
    if (before !== null) {
      return async () => this.retracted(entry, epoch, await this.readAbove(before, entry.head.height));
    }
    const gone = visibleTrades(feed.retractedBy(entry)!, token);
    return () => this.retracted(entry, epoch, gone);
  }

  private traded(entry: TailEntry, recorded: RecordsById): DeltaMaker {
    const { token, feed } = this;
    const { height: block, time } = entry.head;
    const trades = entry.group!.tradesOf(token).map((trade): PlacedTrade => ({ ...trade, block, time }));
    if (trades.length === 0) return () => null;
    const { chain } = feed.reader;
    const { epoch } = feed;
    const delta = (records: RecordsById): KeyDelta => ({
      type: 'trades',
      epoch,
      seq: entry.seq,
      data: trades.map((trade) => tradeRow(chain, token, trade, records)),
      meta: feed.metaAt(entry),
    });
    const records = feed.records.find(otherTokens(token, trades));
    if (!(records instanceof Promise)) return () => delta(records);
    // It may fail before anybody waits for it.
    records.catch(() => undefined);
    return () => records.then((found) => delta(recorded.size === 0 ? found : new Map([...recorded, ...found])));
  }

  private retracted(entry: TailEntry, epoch: string, trades: readonly TradeFact[]): KeyDelta | null {
    if (trades.length === 0) return null;
    const { feed } = this;
    const { chain } = feed.reader;
    const data = trades.map((trade): RetractedTrade => tradeNames(chain, trade));
    return { type: 'retract', epoch, seq: entry.seq, data, meta: feed.metaAt(entry) };
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
