import { ApiError } from '#libs/serve/client/api-error.js';
import type { CandlesFrame } from '#libs/serve/client/live-frame.js';
import type { CandleBody, CandlesAnswer } from '#libs/serve/contract/rest/candle-body.js';
import type { Clients } from '../state/clients.js';
import { PoolCandles } from './pool-candles.js';

const candle = (time: number, close: number): CandleBody => ({ time, close }) as CandleBody;
const meta = (block: number) => ({ block, blockHash: 'h', finalized: null, proof: 'none' as const });
const frame = (type: 'snapshot' | 'candles', seq: number, times: number[]): CandlesFrame => ({
  ...{ type, id: '1', channel: 'candles', epoch: 'e', seq, meta: meta(seq) },
  data: times.map((time) => candle(time, -1)),
});

interface Query {
  from?: number;
  pool: string;
}

/** The service: a live channel of all pools, and a route that answers when the test says so. */
class Service {
  candles: CandleBody[] = [];
  block = 0;
  readonly asked: Query[] = [];
  readonly heard: CandlesFrame[] = [];
  private tell: (frame: CandlesFrame) => void = () => undefined;
  private readonly waiting: { answer: () => void; fail: (error: Error) => void }[] = [];
  readonly feed: PoolCandles;

  constructor() {
    const clients = {
      live: {
        subscribe: (_request: unknown, listener: (frame: CandlesFrame) => void) => {
          this.tell = listener;
          return { unsubscribe: () => undefined };
        },
      },
      rest: {
        candles: (_chain: string, _token: string, query: Query) => {
          this.asked.push(query);
          return new Promise<CandlesAnswer>((done, fail) => {
            const data = () => this.candles.filter(({ time }) => query.from === undefined || time >= query.from);
            this.waiting.push({ answer: () => done({ data: data(), next: null, meta: meta(this.block) }), fail });
          });
        },
      },
    } as unknown as Clients;
    const request = { channel: 'candles', chain: 'eth', token: '0x1', interval: '1m', currency: 'usd' } as const;
    this.feed = new PoolCandles(clients, request, '0xp', (heard) => this.heard.push(heard));
  }

  live(next: CandlesFrame): void {
    if ('seq' in next) this.block = next.seq;
    this.tell(next);
  }

  async answer(error?: Error): Promise<void> {
    const next = this.waiting.shift()!;
    if (error === undefined) next.answer();
    else next.fail(error);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }

  /** Kind, position and candles of what was handed on. */
  get told(): string[] {
    return this.heard.map((each) =>
      'data' in each
        ? `${each.type} ${each.seq}: ${each.data.map(({ time, close }) => `${time}=${close}`).join(' ')}`
        : each.type,
    );
  }
}

describe('candles of one pool', () => {
  it('are read for each frame of the channel, since what it says has changed', async () => {
    const service = new Service();
    service.candles = [candle(60, 1), candle(120, 2)];
    service.live(frame('snapshot', 1, [60, 120]));
    await service.answer();
    service.candles = [candle(60, 1), candle(120, 3), candle(180, 4)];
    service.live(frame('candles', 2, [120, 180]));
    await service.answer();
    expect(service.asked.map(({ from, pool }) => [from, pool])).toEqual([
      [undefined, '0xp'],
      [120, '0xp'],
    ]);
    expect(service.told).toEqual(['snapshot 1: 60=1 120=2', 'candles 2: 120=3 180=4']);
  });

  it('are read once for frames that came meanwhile', async () => {
    const service = new Service();
    service.live(frame('snapshot', 1, []));
    service.live(frame('candles', 2, [180]));
    service.live(frame('candles', 3, [120, 240]));
    await service.answer();
    service.candles = [candle(60, 1), candle(120, 2), candle(240, 3)];
    await service.answer();
    expect(service.asked.map(({ from }) => from)).toEqual([undefined, 120]);
    expect(service.told).toEqual(['snapshot 1: ', 'candles 3: 120=2 240=3']);
    service.live(frame('candles', 4, [240]));
    service.live(frame('snapshot', 5, [60]));
    service.live(frame('candles', 6, [300]));
    await service.answer();
    await service.answer();
    expect(service.told.slice(2)).toEqual(['candles 4: 240=3', 'snapshot 6: 60=1 120=2 240=3']);
  });

  it('say why there are none, and nothing once the page is left', async () => {
    const service = new Service();
    service.live(frame('snapshot', 1, []));
    await service.answer(new ApiError('not_found', 'no such pool', 404));
    expect(service.told).toEqual(['error']);
    service.live(frame('snapshot', 2, []));
    service.feed.unsubscribe();
    await service.answer();
    expect(service.told).toEqual(['error']);
  });
});
