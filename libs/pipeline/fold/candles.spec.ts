import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import {
  bucketEnd,
  bucketStart,
  type Candle,
  CandleAccumulator,
  continuousCandles,
  fillCandles,
  foldedIntervals,
  isInterval,
  mergeCandles,
  nativeCandle,
  shiftBucket,
} from './candles.js';

const at = (text: string): number => Date.parse(`${text}Z`);
const trade = (price: bigint | null, counted = price !== null, side: 'buy' | 'sell' = 'buy') => ({
  priceUsd: price,
  volumeUsd: 5n,
  volumeCoin: 2n,
  loopVolumeUsd: 1n,
  side,
  counted,
});
const candle = (time: number, open: bigint | null, high = open, low = open, close = open): Candle => ({
  time,
  open,
  high,
  low,
  close,
  volumeUsd: 1n,
  volumeCoin: 1n,
  loopVolumeUsd: 1n,
  trades: 1,
  buys: 1,
  sells: 0,
});

describe('buckets', () => {
  it('has the 18 intervals', () => {
    expect(foldedIntervals.join(' ')).toBe('1s 5s 15s 30s 1m 3m 5m 15m 30m 1h 2h 4h 6h 12h 1d 3d 1w 1M');
    expect(isInterval('1M')).toBe(true);
    for (const not of ['1mo', '2m', '', 'toString', '1D']) expect(isInterval(not)).toBe(false);
  });

  it('starts weeks on Monday, months on the 1st and three days at the epoch', () => {
    const time = at('2026-02-26T13:37:42.123'); // a Thursday
    expect(bucketStart('1w', time)).toBe(at('2026-02-23T00:00:00'));
    expect(bucketEnd('1w', bucketStart('1w', time))).toBe(at('2026-03-02T00:00:00'));
    expect(bucketStart('1M', time)).toBe(at('2026-02-01T00:00:00'));
    expect(bucketEnd('1M', at('2026-12-01T00:00:00'))).toBe(at('2027-01-01T00:00:00'));
    expect(bucketStart('3d', time) % (3 * 86_400_000)).toBe(0);
    expect(bucketStart('15s', time)).toBe(at('2026-02-26T13:37:30'));
    expect(shiftBucket('1M', at('2026-01-01T00:00:00'), -2)).toBe(at('2025-11-01T00:00:00'));
  });

  it('tiles time without gap or overlap', () => {
    const random = new SeededRandom(7);
    for (const interval of foldedIntervals) {
      for (let i = 0; i < 200; i++) {
        const time = Math.floor(random.next() * at('2100-01-01T00:00:00'));
        const start = bucketStart(interval, time);
        const end = bucketEnd(interval, start);
        expect(start <= time && time < end).toBe(true);
        expect(bucketStart(interval, start)).toBe(start);
        expect(bucketStart(interval, end - 1)).toBe(start);
        expect(bucketStart(interval, end)).toBe(end);
        expect(shiftBucket(interval, start, 1)).toBe(end);
        expect(shiftBucket(interval, end, -1)).toBe(start);
      }
    }
  });
});

describe('candles', () => {
  it('moves prices by counted trades and volumes by all', () => {
    const open = new CandleAccumulator(0);
    open.add(trade(900n, false));
    expect(open.candle()).toMatchObject({ open: null, close: null, trades: 1, volumeUsd: 5n });
    open.add(trade(10n));
    open.add(trade(30n, true, 'sell'));
    open.add(trade(5n));
    open.add(trade(1n, false));
    open.add({ ...trade(null), volumeUsd: 0n, volumeCoin: 0n, loopVolumeUsd: 0n });
    expect(open.candle()).toEqual({
      time: 0,
      open: 10n,
      high: 30n,
      low: 5n,
      close: 5n,
      volumeUsd: 25n,
      volumeCoin: 10n,
      loopVolumeUsd: 5n,
      trades: 6,
      buys: 5,
      sells: 1,
    });
  });

  it('refuses partial candles out of order', () => {
    expect(() => mergeCandles('1m', [candle(120_000, 1n), candle(0, 1n)])).toThrow(RangeError);
  });

  it('fills with the close before', () => {
    const filled = fillCandles([candle(60_000, 7n), candle(180_000, null)], {
      interval: '1m',
      from: 0,
      to: 300_000,
      previousClose: null,
    });
    expect(filled.map(({ time, close, trades }) => [time, close, trades])).toEqual([
      [60_000, 7n, 1],
      [120_000, 7n, 0],
      [180_000, 7n, 1],
      [240_000, 7n, 0],
    ]);
    const led = fillCandles([], { interval: '1m', from: 0, to: 120_000, previousClose: 3n });
    expect(led.map(({ open, volumeUsd }) => [open, volumeUsd])).toEqual([
      [3n, 0n],
      [3n, 0n],
    ]);
  });

  it('joins opens to closes', () => {
    const joined = continuousCandles([candle(0, 5n, 8n, 4n, 6n), candle(1, null), candle(2, 9n)], 10n);
    expect(joined.map(({ open, high, low, close }) => [open, high, low, close])).toEqual([
      [10n, 10n, 4n, 6n],
      [6n, 6n, 6n, 6n],
      [6n, 9n, 6n, 9n],
    ]);
    expect(continuousCandles([candle(0, 5n)], null)[0]!.open).toBe(5n);
  });

  it('is priced in the coin at its end', () => {
    const usd = 10n ** 36n;
    expect(nativeCandle(candle(0, 5n * usd), 2n * usd).close).toBe((5n * usd) / 2n);
    expect(nativeCandle(candle(0, 5n * usd), null).close).toBeNull();
  });
});
