import type { CandleBody } from '#libs/serve/contract/rest/candle-body.js';
import { replacedCandles } from './replaced-candles.js';

const candle = (time: number, close: number): CandleBody =>
  ({ time, open: 1, high: 9, low: 1, close, trades: 1, volumeUsd: 5, volumeNative: 5 }) as CandleBody;

it('names the candles that a replaced block changed or took away, from the first of them', () => {
  const before = [candle(1, 2), candle(2, 3), candle(3, 4)];
  const gone = replacedCandles(before, [candle(1, 2), candle(2, 5)]);
  expect(gone).toEqual({ from: 2, candles: [candle(2, 3), candle(3, 4)] });
});

it('says nothing of candles that are as they were, nor of new ones', () => {
  const before = [candle(1, 2), candle(2, 3)];
  expect(replacedCandles(before, [...before, candle(3, 4)])).toBeNull();
  expect(replacedCandles([], [candle(3, 4)])).toBeNull();
});
