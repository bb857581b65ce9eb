import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import type { CandleBody } from '#libs/serve/contract/rest/candle-body.js';
import type { TradeBody } from '#libs/serve/contract/rest/trade-body.js';
import { emptyCandles, followCandles } from './follow-candles.js';
import { emptyTrades, followTrades, type TradeList } from './follow-trades.js';
import type { CandlesFrame, TradesFrame } from './live-frame.js';

const trade = (id: number): TradeBody =>
  ({ id: `t${id}-0`, signature: `t${id}`, wallet: `w${id % 3}` }) as Partial<TradeBody> as TradeBody;
const candle = (time: number, close: number): CandleBody => ({ time, close }) as Partial<CandleBody> as CandleBody;
const meta = (block: number) => ({ block, blockHash: `0x${block}`, finalized: null, proof: 'none' });

const tradesFrame = (
  type: 'snapshot' | 'trades' | 'retract' | 'tags',
  block: number,
  data: readonly TradeBody[],
): TradesFrame =>
  ({ type, id: '1', channel: 'trades', epoch: 'e', seq: block, data, meta: meta(block) }) as TradesFrame;
const candlesFrame = (type: 'snapshot' | 'candles', block: number, data: readonly CandleBody[]): CandlesFrame =>
  ({ type, id: '1', channel: 'candles', epoch: 'e', seq: block, data, meta: meta(block) }) as CandlesFrame;

describe('trades', () => {
  it('are the beginning of the true list after any history of blocks, retractions and snapshots', () => {
    for (const seed of propertySeeds(scaled(500, 50))) {
      const random = new SeededRandom(seed);
      const limit = random.int(1, 12);
      /** Blocks of the surviving chain, oldest first, each with its trades. */
      let blocks: TradeBody[][] = [];
      let next = 0;
      let list = emptyTrades(limit);
      const truth = (): TradeBody[] => blocks.flat().reverse();
      for (let step = 0; step < 60; step++) {
        const roll = random.next();
        if (roll < 0.1) list = followTrades(list, tradesFrame('snapshot', step, truth().slice(0, random.int(0, 8))));
        else if (roll < 0.35 && blocks.length > 0) {
          const depth = random.int(1, Math.min(4, blocks.length));
          const gone = blocks.slice(-depth).flat();
          blocks = blocks.slice(0, -depth);
          const before = list;
          list = followTrades(list, tradesFrame('retract', step, gone));
          const held = before.trades.filter(({ id }) => gone.some((row) => row.id === id));
          if (before.meta !== null) expect(list.retracted).toEqual(held);
        } else {
          const block = Array.from({ length: random.int(1, 4) }, () => trade(next++));
          blocks.push(block);
          list = followTrades(list, tradesFrame('trades', step, block));
          if (list.meta !== null) expect(list.added).toEqual([...block].reverse());
        }
        const shown = list.trades.map(({ id }) => id);
        const expected = truth().slice(0, shown.length);
        if (JSON.stringify(shown) !== JSON.stringify(expected.map(({ id }) => id))) {
          throw new Error(`seed ${seed}, step ${step}: ${shown} instead of ${expected.map(({ id }) => id)}`);
        }
        expect(shown.length).toBeLessThanOrEqual(limit);
      }
    }
  });

  it('wait for their first snapshot and ignore frames without rows', () => {
    const empty = emptyTrades();
    expect(followTrades(empty, tradesFrame('trades', 1, [trade(1)]))).toBe(empty);
    expect(followTrades(empty, tradesFrame('retract', 1, [trade(1)]))).toBe(empty);
    const list = followTrades(empty, tradesFrame('snapshot', 1, [trade(1)]));
    const others: TradesFrame[] = [
      { type: 'subscribed', id: '1', channel: 'trades', resumed: true },
      { type: 'lagged', id: '1', channel: 'trades' },
      { type: 'error', id: '1', code: 'upstream_unavailable', message: '' },
      { type: 'news', id: '1', channel: 'trades', data: [trade(2)] } as unknown as TradesFrame,
    ];
    for (const frame of others) expect(followTrades(list, frame)).toBe(list);
  });

  it('take tags over for every trade of the wallets that a frame names', () => {
    const rows = [1, 2, 3].map((n) => ({ ...trade(n), wallet: n === 2 ? 'b' : 'a' }));
    const list = followTrades(emptyTrades(), tradesFrame('snapshot', 1, rows));
    const changed = [{ token: 't', wallet: 'a', tags: ['bot'] }] as unknown as TradeBody[];
    const { trades, meta: at } = followTrades(list, tradesFrame('tags', 2, changed));
    expect(trades.map(({ tags }) => tags)).toEqual([['bot'], trade(2).tags, ['bot']]);
    expect(at).toEqual(meta(2));
  });

  it('hold a trade once that is mined again under its own id', () => {
    let list: TradeList = followTrades(emptyTrades(), tradesFrame('snapshot', 1, [trade(2), trade(1)]));
    list = followTrades(list, tradesFrame('retract', 2, [trade(2)]));
    list = followTrades(list, tradesFrame('trades', 3, [trade(3), trade(2)]));
    list = followTrades(list, tradesFrame('trades', 4, [trade(2)]));
    expect(list.trades.map(({ id }) => id)).toEqual(['t2-0', 't3-0', 't1-0']);
  });
});

describe('candles', () => {
  it('are the newest of the true series after any changes, ascending and one per start', () => {
    for (const seed of propertySeeds(scaled(500, 50))) {
      const random = new SeededRandom(seed);
      const limit = random.int(3, 20);
      const truth = new Map<number, number>();
      const sorted = (): CandleBody[] =>
        [...truth].sort(([a], [b]) => a - b).map(([time, close]) => candle(time, close));
      let series = followCandles(emptyCandles(limit), candlesFrame('snapshot', 0, []));
      let newest = 0;
      for (let step = 1; step < 60; step++) {
        if (random.chance(0.1)) {
          for (const time of [...truth.keys()]) if (random.chance(0.2)) truth.delete(time);
          series = followCandles(series, candlesFrame('snapshot', step, sorted()));
          expect(series.changed).toBe(null);
        } else {
          if (random.chance(0.5)) newest += random.int(1, 3);
          // Corrections reach back into candles that are there.
          const times = new Set([
            newest,
            ...sorted()
              .slice(-3)
              .filter(() => random.chance(0.3))
              .map(({ time }) => time),
          ]);
          const changed = [...times].sort((a, b) => a - b).map((time) => candle(time, step));
          for (const { time, close } of changed) truth.set(time, close!);
          series = followCandles(series, candlesFrame('candles', step, changed));
          expect(series.changed).toEqual(changed);
        }
        const expected = sorted().slice(-limit);
        const held = series.candles.slice(-Math.min(expected.length, series.candles.length));
        if (
          JSON.stringify(held) !== JSON.stringify(expected.slice(-held.length)) ||
          (held.length === 0) !== (expected.length === 0)
        ) {
          throw new Error(`seed ${seed}, step ${step}: ${JSON.stringify(series.candles)}`);
        }
        expect(series.candles.length).toBeLessThanOrEqual(limit);
        expect(series.meta?.block).toBe(step);
      }
    }
  });

  it('wait for their first snapshot and ignore frames without rows', () => {
    const empty = emptyCandles();
    expect(followCandles(empty, candlesFrame('candles', 1, [candle(1, 1)]))).toBe(empty);
    const series = followCandles(empty, candlesFrame('snapshot', 1, [candle(1, 1)]));
    const unknown = { ...candlesFrame('candles', 2, [candle(2, 2)]), type: 'trades' } as unknown as CandlesFrame;
    expect(followCandles(series, unknown)).toBe(series);
    expect(followCandles(series, { type: 'lagged', id: '1', channel: 'candles' })).toBe(series);
  });
});
