import type { CandleBody } from '#libs/serve/contract/rest/candle-body.js';
import { closeBefore, continuousBars, indexFrom } from './bars.js';

const candle = (time: number, prices: [number, number, number, number] | null): CandleBody => ({
  time: time * 1000,
  open: prices?.[0] ?? null,
  high: prices?.[1] ?? null,
  low: prices?.[2] ?? null,
  close: prices?.[3] ?? null,
  volumeUsd: 1,
  loopVolumeUsd: 0,
  volumeNative: 1,
  trades: 1,
  buys: 1,
  sells: 0,
});

describe('bars', () => {
  const candles = [
    candle(1, null),
    candle(2, [5, 6, 4, 5]),
    candle(4, [7, 8, 7, 8]),
    candle(5, null),
    candle(6, [3, 3, 2, 2]),
  ];

  it('open at the close before, and reach as far', () => {
    expect(continuousBars(candles, null)).toEqual([
      { time: 1 },
      { time: 2, open: 5, high: 6, low: 4, close: 5 },
      { time: 4, open: 5, high: 8, low: 5, close: 8 },
      { time: 5, open: 8, high: 8, low: 8, close: 8 },
      { time: 6, open: 8, high: 8, low: 2, close: 2 },
    ]);
  });

  it('go on from what was drawn before', () => {
    const whole = continuousBars(candles, null);
    for (let index = 0; index <= candles.length; index++) {
      expect(continuousBars(candles.slice(index), closeBefore(candles, index))).toEqual(whole.slice(index));
    }
  });

  it('are found by their time', () => {
    expect([0, 1000, 1500, 4000, 6000, 7000].map((time) => indexFrom(candles, time))).toEqual([0, 0, 1, 2, 4, 5]);
    expect(indexFrom([], 5)).toBe(0);
  });
});
