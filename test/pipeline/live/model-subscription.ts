import type { Hex } from '#libs/core/ids.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import type { Happened } from './happened.js';
import { plain, type RestAnswers, restCandles, restTrades, type Series, withTags } from './rest-answers.js';
import { type ViewFrame, type ViewModel, type ViewRequest, viewModel } from './view-models.js';

type RowsRequest = { channel: 'trades'; token: Hex } | ({ channel: 'candles' } & Series);
export type SubscriptionRequest = RowsRequest | ViewRequest;

interface Row {
  id?: string;
  time: number;
}

const SNAPSHOT_ROWS = { trades: 50, candles: 300 };

/**
 * What a client holds of one subscription by nothing but its frames. After each of them it is compared with what the REST
 * functions answer at that seq: as many of the newest rows as it holds.
 */
export class ModelSubscription {
  /** Trades newest first, candles ascending; null while it waits for a snapshot. */
  private rows: Row[] | null = null;
  /** Of the channels that are read from views: what is held instead of rows. */
  private held: unknown = null;
  private readonly model: ViewModel<unknown> | null;
  private place: { epoch: string; seq: number } | null = null;
  private lagged = false;
  /** Seq of a frame of trades whose tags follow as a second frame. */
  private owed: number | null = null;

  constructor(
    readonly request: SubscriptionRequest,
    private readonly answers: RestAnswers,
    private readonly happened: Happened,
  ) {
    const { channel } = request;
    this.model = channel === 'trades' || channel === 'candles' ? null : viewModel(request as ViewRequest);
  }

  describe(): string {
    return Object.values(this.request).join(' ');
  }

  get waiting(): boolean {
    return this.place === null || this.lagged;
  }

  message(): object {
    const { request } = this;
    const resume = this.place === null ? {} : { resume: this.place };
    const { slug, ids } = this.answers.chain;
    const text = (id: Hex): string => ids.formatAddress(id);
    const subject =
      request.channel === 'wallet'
        ? { wallet: text(request.wallet) }
        : request.channel === 'prices'
          ? { tokens: request.tokens.map(text) }
          : { token: text(request.token) };
    return { ...request, chain: slug, ...subject, ...resume };
  }

  /** Applies a frame; says what is wrong with it or with what is held then. */
  async apply(frame: Record<string, unknown>): Promise<string | null> {
    switch (frame.type) {
      case 'subscribed':
        if (frame.resumed === true) {
          this.count('resumed');
          if (this.owed !== null) return `resumed without the tags of ${this.owed}`;
          // The snapshot that would have ended an earlier lag is not needed: the deltas that were lost follow.
          this.lagged = false;
          return this.place === null ? 'resumed what was not held' : null;
        }
        this.rows = null;
        this.owed = null;
        this.held = null;
        this.place = null;
        return null;
      case 'lagged':
        this.lagged = true;
        return null;
      case 'snapshot':
      case 'trades':
      case 'candles':
      case 'retract':
      case 'tags':
      case 'token':
      case 'pair':
      case 'holders':
      case 'traders':
      case 'balances':
      case 'prices':
        return this.model === null
          ? this.data(frame as unknown as DataFrame)
          : this.viewed(frame as unknown as DataFrame, this.model);
      case 'unsubscribed':
        return null;
      default:
        return `unknown type ${String(frame.type)}`;
    }
  }

  /** At rest the newest state counts, however long ago the last frame came. */
  async compareWith(view: ChainView): Promise<string | null> {
    if (this.place === null) return 'holds nothing at rest';
    if (this.lagged) return 'lagged and never got a snapshot';
    if (this.owed !== null) return `never got the tags of ${this.owed}`;
    if (this.model !== null)
      return this.compareHeld(await this.model.rest(view), null, `at rest (seq ${view.pin.seq})`);
    return this.compare(view, `at rest (seq ${view.pin.seq}, last frame ${this.place?.seq})`);
  }

  private async data({ type, epoch, seq, data, meta }: DataFrame): Promise<string | null> {
    const { place, rows } = this;
    const moved = { epoch, seq };
    if (JSON.stringify(meta) !== JSON.stringify(this.answers.metaAt(seq))) return `meta at ${seq} is not REST's`;
    if (type === 'snapshot') {
      this.rows = data;
      this.owed = null;
      this.place = moved;
      this.lagged = false;
      if (data.length < Math.min(this.snapshotRows, await this.total(seq))) return 'short snapshot';
      return this.compare(this.answers.at(seq), `snapshot ${seq}`);
    }
    if (rows === null || place === null) return `${type} ${seq} before a snapshot`;
    if (this.lagged) return `${type} ${seq} after lagged`;
    const follows = this.owed === seq && type === 'tags';
    if (place.epoch !== epoch || (seq <= place.seq && !follows)) return `${type} ${seq} after ${place.seq}`;
    if (this.owed !== null && !follows) return `${type} ${seq} before the tags of ${this.owed}`;
    this.place = moved;
    this.owed = null;
    if (type === 'tags') {
      this.count(follows ? 'tags with trades' : 'tags alone');
      this.rows = withTags(rows, data);
    } else if (type === 'trades') this.rows = [...data].reverse().concat(rows);
    else if (type === 'retract') {
      const expected = await this.answers.takenBack(seq, (this.request as RowsRequest).token);
      if (JSON.stringify(data.map(({ id }) => id).sort()) !== JSON.stringify(expected.sort())) {
        return `retract ${seq} lists ${data.length} of ${expected.length} trades`;
      }
      const gone = new Set(data.map(({ id }) => id));
      this.rows = rows.filter(({ id }) => !gone.has(id));
    } else {
      const byTime = new Map([...rows, ...data].map((candle) => [candle.time, candle]));
      this.rows = [...byTime.values()].sort((a, b) => a.time - b.time);
    }
    const changed = type !== 'candles' && this.answers.changesTags(seq, (this.request as RowsRequest).token);
    if (changed && type !== 'tags') {
      this.owed = seq;
      return null;
    }
    return this.compare(this.answers.at(seq), `${type} ${seq}`);
  }

  private async viewed(frame: DataFrame & ViewFrame, model: ViewModel<unknown>): Promise<string | null> {
    const { place } = this;
    const { type, epoch, seq, meta } = frame;
    if (JSON.stringify(meta) !== JSON.stringify(this.answers.metaAt(seq))) return `meta at ${seq} is not REST's`;
    if (type === 'snapshot') this.lagged = false;
    else if (place === null) return `${type} ${seq} before a snapshot`;
    else if (this.lagged) return `${type} ${seq} after lagged`;
    else if (place.epoch !== epoch || seq <= place.seq) return `${type} ${seq} after ${place.seq}`;
    this.place = { epoch, seq };
    const rest = await model.rest(this.answers.at(seq));
    this.held = model.apply(this.held, frame, rest);
    this.count(`compared ${this.request.channel}`);
    return this.compareHeld(rest, frame, `${type} ${seq}`);
  }

  private compareHeld(rest: unknown, after: ViewFrame | null, when: string): string | null {
    const [held, answered] = [this.held, rest].map((state) => JSON.stringify(this.model!.exact(state, after)));
    return held === answered ? null : `${when}: holds ${held}, REST answers ${answered}`;
  }

  private async compare(view: ChainView, when: string): Promise<string | null> {
    const rows = this.rows!;
    const expected = await this.rest(view, rows.length);
    const [held, answered] = [JSON.stringify(plain(rows)), JSON.stringify(expected)];
    if (held === answered) return null;
    const index = rows.findIndex((row, i) => JSON.stringify(row) !== JSON.stringify(expected[i]));
    const [own, its] = [rows[index], expected[index]].map((row) => Object.entries(row ?? {}));
    const differs = own!.filter(([key, value], i) => JSON.stringify([key, value]) !== JSON.stringify(its![i]));
    return `${when}: row ${index} of ${rows.length}, in REST ${expected.length}: ${JSON.stringify(differs)} differs`;
  }

  private rest(view: ChainView, limit: number): Promise<unknown[]> {
    const request = this.request as RowsRequest;
    return request.channel === 'trades' ? restTrades(view, request.token, limit) : restCandles(view, request, limit);
  }

  private async total(seq: number): Promise<number> {
    return (await this.rest(this.answers.at(seq), this.snapshotRows)).length;
  }

  private get snapshotRows(): number {
    return SNAPSHOT_ROWS[(this.request as RowsRequest).channel];
  }

  private count(what: string): void {
    this.happened[what] = (this.happened[what] ?? 0) + 1;
  }
}

interface DataFrame {
  type: 'snapshot' | 'trades' | 'candles' | 'retract' | 'tags';
  epoch: string;
  seq: number;
  data: Row[];
  meta: unknown;
}
