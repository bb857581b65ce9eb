import { SeededRandom, testScale as scale } from '#libs/devkit/testing/seeded-random.js';
import { ApiError } from '#libs/serve/client/api-error.js';
import type { CandlesFrame } from '#libs/serve/client/live-frame.js';
import type { CandleBody, CandlesAnswer } from '#libs/serve/contract/rest/candle-body.js';
import type { Clients } from '../state/clients.js';
import { CandleFeed, MOST_LIVE } from './candle-feed.js';
import { PageMoment } from './page-moment.js';

/** The service's data, and its REST and live clients as the page sees them. */
class Service {
  candles: CandleBody[] = [];
  requests = 0;
  /** A cursor of an older view is not honoured. */
  private view = 0;
  private tell: (frame: CandlesFrame) => void = () => undefined;

  readonly clients = {
    live: {
      subscribe: (_request: unknown, listener: (frame: CandlesFrame) => void) => {
        this.tell = listener;
        return { unsubscribe: () => undefined };
      },
    },
    rest: { candles: (_chain: string, _token: string, query: Query, options: Options) => this.page(query, options) },
  } as unknown as Clients;

  constructor(private readonly random: SeededRandom) {
    for (let i = random.int(0, 2_000); i > 0; i--) this.append();
  }

  append(): CandleBody {
    const time = (this.candles[this.candles.length - 1]?.time ?? 0) + 1000 * this.random.int(1, 3);
    const candle = { time, close: this.random.next(), volumeUsd: 1 } as CandleBody;
    this.candles.push(candle);
    return candle;
  }

  snapshot(): void {
    this.send('snapshot', this.candles.slice(-300));
  }

  /** A block: the newest candle changes, or others come. */
  block(): void {
    const changed: CandleBody[] = [];
    const last = this.candles[this.candles.length - 1];
    if (last !== undefined && this.random.chance(0.7)) {
      changed.push({ ...last, close: this.random.next() });
      this.candles[this.candles.length - 1] = changed[0]!;
    }
    for (let i = this.random.int(changed.length === 0 ? 1 : 0, 2); i > 0; i--) changed.push(this.append());
    this.send('candles', changed);
  }

  /** Blocks are replaced: some of the newest candles change or go, even beyond what a snapshot holds. */
  replace(): void {
    this.view++;
    const depth = Math.min(this.candles.length, this.random.int(1, this.random.chance(0.3) ? 600 : 10));
    const kept = this.candles.slice(0, this.candles.length - depth);
    const changed = this.candles.slice(this.candles.length - depth).filter(() => this.random.chance(0.9));
    this.candles = [...kept, ...changed.map((candle) => ({ ...candle, close: this.random.next() }))];
    this.snapshot();
  }

  private send(type: 'snapshot' | 'candles', data: CandleBody[]): void {
    const meta = { block: 1, blockHash: 'h', finalized: null, proof: 'none' as const };
    this.tell({ type, id: '1', channel: 'candles', epoch: 'e', seq: 1, data, meta });
  }

  private async page({ to, cursor, limit }: Query, { signal }: Options): Promise<CandlesAnswer> {
    this.requests++;
    for (let turn = this.random.int(0, 3); turn > 0; turn--) await Promise.resolve();
    signal.throwIfAborted();
    const [view, before] = cursor === undefined ? [this.view, to!] : (JSON.parse(cursor) as [number, number]);
    if (view !== this.view) throw new ApiError('bad_request', 'cursor is no longer honoured', 400);
    const older = this.candles.filter(({ time }) => time < before);
    const data = older.slice(-limit);
    const next = older.length > limit ? JSON.stringify([view, data[0]!.time]) : null;
    return { data, next, meta: { block: 1, blockHash: 'h', finalized: null, proof: 'none' as const } };
  }
}

interface Query {
  to?: number;
  cursor?: string;
  limit: number;
}

interface Options {
  signal: AbortSignal;
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 60; turn++) await Promise.resolve();
};

const request = { channel: 'candles', chain: 'eth', token: '0x1', interval: '1s', currency: 'usd' } as const;

describe('candles of a chart', () => {
  it('are the newest of the service without a hole, whatever happens', async () => {
    const histories = Math.max(1, Math.round(300 * scale));
    for (let run = 0; run < histories; run++) {
      const seed = 7_000 + run;
      const random = new SeededRandom(seed);
      const service = new Service(random);
      const feed = new CandleFeed(service.clients, request, new PageMoment());
      service.snapshot();
      for (let step = 0; step < 40; step++) {
        const kind = random.next();
        if (kind < 0.5) service.block();
        else if (kind < 0.8) void feed.loadOlder();
        else if (kind < 0.9) service.replace();
        else await settled();
      }
      await settled();
      const { rows } = feed.candles.value;
      const expected = service.candles.slice(service.candles.length - rows.length);
      try {
        expect(rows).toEqual(expected);
        expect(rows.length).toBeGreaterThanOrEqual(Math.min(1, service.candles.length));
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
      feed.stop();
    }
  });

  it('reach the first one by scrolling, then ask no more', async () => {
    const service = new Service(new SeededRandom(1));
    while (service.candles.length < 1_500) service.append();
    const feed = new CandleFeed(service.clients, request, new PageMoment());
    service.snapshot();
    while (feed.candles.value.rows.length < service.candles.length) await feed.loadOlder();
    const { requests } = service;
    await feed.loadOlder();
    expect(service.requests).toBe(requests);
    expect(feed.candles.value.rows).toEqual(service.candles);
  });

  it('ask for nothing older when the snapshot holds all', async () => {
    const service = new Service(new SeededRandom(2));
    service.candles = service.candles.slice(-20);
    const feed = new CandleFeed(service.clients, request, new PageMoment());
    service.snapshot();
    await feed.loadOlder();
    expect(service.requests).toBe(0);
    expect(feed.candles.value.rows).toHaveLength(service.candles.length);
  });

  it('are no more than a page may hold however long they come, and still without a hole', async () => {
    const random = new SeededRandom(3);
    const service = new Service(random);
    while (service.candles.length < 2_000) service.append();
    const feed = new CandleFeed(service.clients, request, new PageMoment());
    service.snapshot();
    let most = 0;
    for (const end = service.candles.length + 3 * MOST_LIVE; service.candles.length < end; ) {
      service.block();
      if (random.chance(0.001)) void feed.loadOlder();
      const { rows } = feed.candles.value;
      most = Math.max(most, rows.length);
      expect(rows.at(-1)).toBe(service.candles.at(-1));
    }
    expect(most).toBeGreaterThanOrEqual(MOST_LIVE);
    await settled();
    await feed.loadOlder();
    const { rows } = feed.candles.value;
    expect(rows.length).toBeLessThan(2 * MOST_LIVE);
    expect(rows).toEqual(service.candles.slice(-rows.length));
  });
});
