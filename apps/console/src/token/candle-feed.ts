import { signal } from '@preact/signals';
import { ApiError } from '#libs/serve/client/api-error.js';
import { emptyCandles, followCandles } from '#libs/serve/client/follow-candles.js';
import type { CandlesFrame } from '#libs/serve/client/live-frame.js';
import type { CandlesRequest } from '#libs/serve/client/live-subscription.js';
import type { CandleBody } from '#libs/serve/contract/rest/candle-body.js';
import type { Clients } from '../state/clients.js';
import { feedError } from './feed-error.js';
import type { MomentStream, PageMoment } from './page-moment.js';
import { PoolCandles } from './pool-candles.js';
import { type Replaced, replacedCandles } from './replaced-candles.js';

/**
 * The candles of one chart: the newest ones live, older ones page by page as the user scrolls back. The rows are always
 * ascending and without a hole: after a new snapshot (a replaced block, a long absence) the older pages are read again,
 * because they may have changed too.
 */
export interface Candles {
  readonly rows: readonly CandleBody[];
  /** Start of the first candle that differs from what was there before; null: any may. */
  readonly changedFrom: number | null;
  /** What a replaced block took back a moment ago. */
  readonly replaced: Replaced | null;
  /** False before the first snapshot. */
  readonly loaded: boolean;
  /** Why there are none. */
  readonly error: ApiError | null;
}

/** What a snapshot holds at most: a shorter one reaches back to the first candle. */
const SNAPSHOT = 300;
const PAGE = 500;
/** Candles of a replaced block stay drawn for so long. */
const GHOST_MS = 12_000;
const LARGEST_PAGE = 1000;
/** Candles that came live are kept to here; then the older half of them is dropped, and the older pages, so that no hole comes between. */
export const MOST_LIVE = 4_000;

export class CandleFeed {
  readonly candles = signal<Candles>({ rows: [], changedFrom: null, replaced: null, loaded: false, error: null });
  private live = emptyCandles(MOST_LIVE + LARGEST_PAGE);
  private older: readonly CandleBody[] = [];
  private cursor: string | null = null;
  private complete = false;
  private replaced: Replaced | null = null;
  private ghosts: ReturnType<typeof setTimeout> | undefined;
  private loading: AbortController | null = null;
  private readonly stream: MomentStream;
  private readonly subscription: { unsubscribe(): void };

  constructor(
    private readonly clients: Clients,
    private readonly request: Required<CandlesRequest>,
    moment: PageMoment,
    private readonly pool: string | null = null,
  ) {
    this.stream = moment.stream();
    const receive = (frame: CandlesFrame): void => this.receive(frame);
    this.subscription =
      pool === null ? clients.live.subscribe(request, receive) : new PoolCandles(clients, request, pool, receive);
  }

  stop(): void {
    this.stream.end();
    clearTimeout(this.ghosts);
    this.subscription.unsubscribe();
    this.loading?.abort();
  }

  /** One page further back, unless one is on its way or the first candle is there. */
  async loadOlder(): Promise<void> {
    const first = this.candles.peek().rows[0];
    if (first === undefined || this.complete || this.loading !== null) return;
    const place = this.cursor === null ? { to: first.time, limit: PAGE } : { cursor: this.cursor, limit: PAGE };
    const page = await this.read(place);
    if (page === null) return;
    const { time } = this.candles.peek().rows[0]!;
    this.older = [...page.filter((candle) => candle.time < time), ...this.older];
    this.publish(null);
  }

  private receive(frame: CandlesFrame): void {
    if (frame.type === 'error') {
      this.candles.value = { ...this.candles.peek(), error: feedError(frame) };
      return;
    }
    if (!('data' in frame)) return;
    this.stream.take(frame, (replaced) => this.apply(frame, replaced));
  }

  private apply(frame: CandlesFrame, replaced: boolean): void {
    const next = followCandles(this.live, frame);
    if (next === this.live) return;
    if (replaced) this.markReplaced(replacedCandles(this.live.candles, next.candles));
    this.live = next;
    if (frame.type === 'snapshot') this.begin(frame.data.length < SNAPSHOT);
    // The pool may not have traded.
    else if (next.changed?.length === 0) return;
    else if (next.candles.length > MOST_LIVE) {
      this.live = { ...next, candles: next.candles.slice(-MOST_LIVE / 2) };
      this.dropOlder();
      this.publish(null);
    } else this.publish(next.changed?.[0]?.time ?? null);
  }

  private markReplaced(replaced: Replaced | null): void {
    if (replaced === null) return;
    clearTimeout(this.ghosts);
    this.replaced = replaced;
    this.ghosts = setTimeout(() => {
      this.replaced = { ...replaced, candles: [] };
      const candles = this.candles.peek();
      this.candles.value = { ...candles, changedFrom: candles.rows.at(-1)?.time ?? null, replaced: this.replaced };
    }, GHOST_MS);
  }

  private begin(complete: boolean): void {
    const held = this.older.length;
    this.dropOlder();
    this.complete = complete;
    this.publish(null);
    if (held > 0 && !complete) void this.reload(held);
  }

  /** As many older candles as there were, in as few pages as there can be. */
  private async reload(count: number): Promise<void> {
    for (let missing = count; missing > 0 && !this.complete; ) {
      const first = this.candles.peek().rows[0]!;
      const page = await this.read({ to: first.time, limit: Math.min(LARGEST_PAGE, missing) });
      if (page === null) return;
      this.older = [...page, ...this.older];
      missing -= page.length;
      this.publish(null);
      if (page.length === 0) return;
    }
  }

  /** Null when it was given up or failed: then the next scroll asks again. */
  private async read(query: { to?: number; cursor?: string; limit: number }): Promise<readonly CandleBody[] | null> {
    const { chain, token, interval, currency } = this.request;
    const ended = new AbortController();
    this.loading = ended;
    try {
      const answer = await this.clients.rest.candles(
        chain,
        token,
        { interval, currency, pool: this.pool ?? undefined, ...query },
        { signal: ended.signal },
      );
      // It was cancelled after the answer: the answer may be from before a block was replaced.
      if (ended.signal.aborted) return null;
      this.cursor = answer.next;
      this.complete = answer.next === null;
      return answer.data;
    } catch (error) {
      if (ended.signal.aborted) return null;
      if (!(error instanceof ApiError)) throw error;
      // The cursor is of a view that is gone: the next page is asked for by its time.
      this.cursor = null;
      return null;
    } finally {
      if (this.loading === ended) this.loading = null;
    }
  }

  private dropOlder(): void {
    this.loading?.abort();
    this.loading = null;
    this.older = [];
    this.cursor = null;
    this.complete = false;
  }

  private publish(changedFrom: number | null): void {
    const rows = [...this.older, ...this.live.candles];
    this.candles.value = { rows, changedFrom, replaced: this.replaced, loaded: true, error: null };
  }
}
