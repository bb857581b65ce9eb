import { ApiError } from '#libs/serve/client/api-error.js';
import type { CandlesFrame } from '#libs/serve/client/live-frame.js';
import type { CandlesRequest } from '#libs/serve/client/live-subscription.js';
import type { CandlesAnswer } from '#libs/serve/contract/rest/candle-body.js';
import type { Clients } from '../state/clients.js';
import { pause } from '../state/pause.js';

type RowsFrame = Extract<CandlesFrame, { type: 'snapshot' | 'candles' }>;

/** What a snapshot of the channel holds at most. */
const SNAPSHOT = 300;
const RETRY_MS = 2_000;
/** An answer from before the frame is asked for again, a few times. */
const BEHIND = { times: 5, ms: 200 };

/**
 * The candles of one pool as frames of the live channel, which has those of all pools together: each of its frames says since
 * when something changed, and the pool's candles since then are read. Invariant: the frames are in the order of the
 * channel's, and what was read for one is not older than its block, as far as the service can say. Frames that come while
 * one is read are read as one.
 */
export class PoolCandles {
  private waiting: RowsFrame | null = null;
  private reading = false;
  private loaded = false;
  private readonly ended = new AbortController();
  private readonly subscription: { unsubscribe(): void };

  constructor(
    private readonly clients: Clients,
    private readonly request: Required<CandlesRequest>,
    private readonly pool: string,
    private readonly listener: (frame: CandlesFrame) => void,
  ) {
    this.subscription = clients.live.subscribe(request, (frame) => this.receive(frame));
  }

  unsubscribe(): void {
    this.ended.abort();
    this.subscription.unsubscribe();
  }

  private receive(frame: CandlesFrame): void {
    if (!('data' in frame)) {
      this.listener(frame);
      return;
    }
    this.waiting = joined(this.waiting, frame);
    if (!this.reading) void this.readAll();
  }

  private async readAll(): Promise<void> {
    this.reading = true;
    while (this.waiting !== null && !this.ended.signal.aborted) {
      const frame = this.waiting;
      this.waiting = null;
      await this.read(frame);
    }
    this.reading = false;
  }

  private async read(frame: RowsFrame): Promise<void> {
    try {
      const { data, meta } = await this.answerTo(frame);
      if (this.ended.signal.aborted) return;
      this.loaded = true;
      this.listener({ ...frame, data, meta });
    } catch (error) {
      if (this.ended.signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      const { code, message } = error;
      if (!this.loaded) this.listener({ type: 'error', id: frame.id, code, message } as CandlesFrame);
      if (!error.retryable) return;
      // It may have missed some by then: all are read.
      this.waiting = joined({ ...frame, type: 'snapshot' }, this.waiting ?? frame);
      await pause(RETRY_MS);
    }
  }

  private async answerTo(frame: RowsFrame): Promise<CandlesAnswer> {
    const { chain, token, interval, currency } = this.request;
    const from = frame.type === 'snapshot' ? undefined : frame.data[0]?.time;
    const query = { interval, currency, from, pool: this.pool, limit: SNAPSHOT };
    for (let time = 1; ; time++) {
      const answer = await this.clients.rest.candles(chain, token, query, { signal: this.ended.signal });
      if (answer.meta.block >= frame.meta.block || time > BEHIND.times) return answer;
      await pause(BEHIND.ms);
    }
  }
}

/** Two frames as one: the newer position, and everything that either says has changed. */
function joined(before: RowsFrame | null, next: RowsFrame): RowsFrame {
  if (before === null || next.type === 'snapshot') return next;
  const since = [...before.data.slice(0, 1), ...next.data.slice(0, 1)].sort((a, b) => a.time - b.time);
  return { ...next, type: before.type, data: since };
}
