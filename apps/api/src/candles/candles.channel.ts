import { isInterval } from '#libs/pipeline/fold/candles.js';
import { CandlesFrame, CandlesSnapshotFrame } from '#libs/serve/contract/live/frames.js';
import { CandlesParams } from '#libs/serve/contract/live/params.js';
import { CandlesQuery } from '#libs/serve/contract/rest/queries.js';
import type {
  ChannelPosition,
  KeyDefinition,
  KeyDelta,
  KeySink,
  KeySnapshot,
  Pending,
} from '#libs/serve/live/channel.js';
import { badLiveRequest } from '#libs/serve/live/live-problem.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { nativeCandles, readCandles } from '#libs/serve/reader/read-candles.js';
import { readReferences, referencesBefore } from '#libs/serve/reader/read-prices.js';
import { isStable } from '#libs/serve/reader/stable-prices.js';
import type { TailEntry } from '#libs/serve/reader/tail-buffer.js';
import { Channel, type LiveChannel } from '../feature/live-channel.js';
import type { ChainFeed } from '../live/chain-feed.js';
import { FeedKey } from '../live/feed-key.js';
import { inLiveTerms, loadInLiveTerms } from '../live/live-problems.js';
import { absence, LiveSubjects } from '../live/live-subjects.js';
import { metaOf } from '../rows/display.js';
import { candleRow } from './candle-rows.js';
import type { CandleSeries } from './candle-series.js';
import { OpenCandle } from './open-candle.js';

/** As many as the REST route answers by default. */
const SNAPSHOT_CANDLES = new CandlesQuery().limit;

/** The newest candles of a token, then each that a block changed, whole. */
@Channel({
  name: 'candles',
  summary: 'Candles of a token as they form',
  parameters: CandlesParams,
  frames: [
    { type: 'snapshot', payload: CandlesSnapshotFrame, summary: 'Replaces all: the newest candles.' },
    { type: 'candles', payload: CandlesFrame, summary: 'Candles that changed, whole.' },
  ],
  twin: 'getTokenCandles',
})
export class CandlesChannel implements LiveChannel<CandlesParams> {
  constructor(private readonly subjects: LiveSubjects) {}

  resolve({ chain, token: named, interval, currency }: CandlesParams): KeyDefinition {
    const { feed, token } = this.subjects.token(chain, named);
    if (!isInterval(interval)) throw badLiveRequest(`interval ${interval} is not known`);
    const key = `${feed.reader.chain.slug} ${token} ${interval} ${currency}`;
    return { key, open: (sink) => new CandlesKey(feed, { token, interval, currency }, sink) };
  }
}

/** What was loaded at one position: the rows to send and the candle that later blocks continue. */
interface Loaded {
  readonly snapshot: KeySnapshot;
  readonly open: OpenCandle;
}

/**
 * Invariant: a block changes at most the newest candle, and that one is kept exact by adding the block's trades to it. A
 * retraction that touches the series ends in a fresh snapshot.
 */
class CandlesKey extends FeedKey {
  private readonly ofStable: boolean;
  /** Whether prices of the coin or of stables move the series, too. */
  private readonly followsReferences: boolean;
  /** Null while no subscriber has data to continue from. */
  private open: Promise<OpenCandle> | null = null;
  /** The same once it is there, so that a block is answered in its own turn. */
  private opened: OpenCandle | null = null;

  constructor(
    feed: ChainFeed,
    private readonly series: CandleSeries,
    sink: KeySink,
  ) {
    const ofStable = isStable(feed.reader.chain, series.token);
    const followsReferences = ofStable || series.currency === 'native';
    super(feed, sink, { tokens: [series.token], references: followsReferences });
    this.ofStable = ofStable;
    this.followsReferences = followsReferences;
  }

  snapshot(discardCached: boolean): Pending<KeySnapshot> {
    const view = inLiveTerms(() => this.feed.reader.view());
    if (discardCached) this.forget();
    return this.snapshots.get(this.feed.positionOf(view), () => this.begin(view).then(({ snapshot }) => snapshot));
  }

  since(from: ChannelPosition): Pending<KeyDelta[]> | null {
    const { token, interval, currency } = this.series;
    const missed = this.feed.after(from);
    if (missed === null || missed.some((entry) => entry.retracts !== null && this.touchedBy(entry))) return null;
    const view = inLiveTerms(() => this.feed.reader.view());
    const changing = missed.filter((entry) => this.concerns(entry));
    if (changing.length > SNAPSHOT_CANDLES) return null;
    const position = this.feed.positionOf(view);
    if (this.open === null) this.begin(view).catch(() => this.sink.reload('lost'));
    if (changing.length === 0) return { ...position, ready: Promise.resolve([]) };
    const load = async (): Promise<KeyDelta[]> => {
      // Blocks only add to the bucket of the earliest of them and to later ones.
      const fromTime = Math.min(...changing.map((entry) => OpenCandle.bucketOf(interval, entry)));
      const query = { token, interval, fromTime, limit: changing.length + 1, currency };
      const { candles } = await readCandles(view, { ...query, fill: false, continuous: false });
      if (candles.length === 0) return [];
      return [{ type: 'candles', ...position, data: candles.map(candleRow), meta: metaOf(view) }];
    };
    return { ...position, ready: loadInLiveTerms(load) };
  }

  onGroup(entry: TailEntry): void {
    if (entry.retracts !== null) {
      if (this.opened !== null && !this.touchedBy(entry)) {
        // The rows are still right, the block that they are named after may not be.
        this.snapshots.drop();
        return;
      }
      this.forget();
      this.sink.reload('replaced');
      return;
    }
    this.snapshots.drop();
    const { open, opened } = this;
    if (open === null) return;
    const { epoch } = this.feed;
    this.sink.add(() => {
      if (opened !== null) return this.advance(opened, entry, epoch);
      return open.then((candle) => this.advance(candle, entry, epoch));
    });
  }

  onReset(): void {
    this.forget();
    this.sink.reload('lost');
  }

  private forget(): void {
    this.snapshots.drop();
    this.open = null;
    this.opened = null;
  }

  /** Loads the series as it is at a view; later blocks continue from the first that was loaded. */
  private begin(view: ChainView): Promise<Loaded> {
    const loaded = loadInLiveTerms(() => this.load(view));
    if (this.open !== null) return loaded;
    const open = loaded.then((result) => result.open);
    this.open = open;
    open.then(
      (candle) => {
        if (this.open === open) this.opened = candle;
      },
      () => {
        if (this.open === open) this.open = null;
      },
    );
    return loaded;
  }

  private async load(view: ChainView): Promise<Loaded> {
    const { token, interval, currency } = this.series;
    const query = { token, interval, limit: SNAPSHOT_CANDLES, fill: false, continuous: false };
    const { candles } = await readCandles(view, { ...query, currency: 'usd' });
    const shown = currency === 'usd' ? candles : await nativeCandles(view, interval, candles);
    const coin = view.chain.wrappedNative.token;
    const [coinUsd] = currency === 'usd' ? [null] : await referencesBefore(view, coin, [view.head.time + 1]);
    const snapshot: KeySnapshot = {
      data: shown.map(candleRow),
      meta: metaOf(view),
      absent: candles.length === 0 ? await absence(view, token) : null,
    };
    const last = candles[candles.length - 1] ?? null;
    const own = this.ofStable ? (await readReferences(view)).find((reference) => reference.token === token) : undefined;
    const stableUsd = this.ofStable ? (own?.usd ?? null) : undefined;
    const state = { seq: view.pin.seq, last, coinUsd: coinUsd ?? null, stableUsd };
    return { snapshot, open: new OpenCandle(this.series, coin, state) };
  }

  private advance(open: OpenCandle, entry: TailEntry, epoch: string): KeyDelta | null {
    const changed = open.take(entry);
    if (changed === null) return null;
    return {
      type: 'candles',
      epoch,
      seq: entry.seq,
      data: [candleRow(changed)],
      meta: this.feed.metaAt(entry),
    };
  }

  /** Whether a block may change the series. */
  private concerns({ group }: TailEntry): boolean {
    if (group === null) return false;
    const moved = this.followsReferences && group.facts.references.length > 0;
    return moved || group.tradesOf(this.series.token).length > 0;
  }

  /** Whether a retraction may change the series; what it took back has to be held to say no. */
  private touchedBy(entry: TailEntry): boolean {
    return this.feed.retractedBy(entry)?.some((gone) => gone.retracts === null && this.concerns(gone)) ?? true;
  }
}
