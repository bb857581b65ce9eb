import type { Hex } from '#libs/core/ids.js';
import type { Interval } from '#libs/pipeline/fold/candles.js';

/** What the candles of one subscription are of. */
export interface CandleSeries {
  readonly token: Hex;
  readonly interval: Interval;
  readonly currency: 'usd' | 'native';
}
