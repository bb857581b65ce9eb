import type { Candle } from '#libs/pipeline/fold/candles.js';
import type { CandleBody } from '#libs/serve/contract/rest/candle-body.js';
import { priceNumber, volumeNumber } from '../rows/display.js';

export function candleRow(candle: Candle): CandleBody {
  return {
    time: candle.time,
    open: priceNumber(candle.open),
    high: priceNumber(candle.high),
    low: priceNumber(candle.low),
    close: priceNumber(candle.close),
    volumeUsd: volumeNumber(candle.volumeUsd)!,
    volumeNative: volumeNumber(candle.volumeCoin)!,
    loopVolumeUsd: volumeNumber(candle.loopVolumeUsd)!,
    trades: candle.trades,
    buys: candle.buys,
    sells: candle.sells,
  };
}
