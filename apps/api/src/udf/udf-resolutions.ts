import type { Interval } from '#libs/pipeline/fold/candles.js';

/** How TradingView names the intervals of candles. */
const intervalOf: Readonly<Record<string, Interval>> = {
  ...{ '1S': '1s', '5S': '5s', '15S': '15s', '30S': '30s' },
  ...{ '1': '1m', '3': '3m', '5': '5m', '15': '15m', '30': '30m' },
  ...{ '60': '1h', '120': '2h', '240': '4h', '360': '6h', '720': '12h' },
  ...{ '1D': '1d', '3D': '3d', '1W': '1w', '1M': '1M' },
};

/** Seconds first: an object with keys that are numbers has another order. */
export const resolutions: readonly string[] = [
  ...['1S', '5S', '15S', '30S', '1', '3', '5', '15', '30', '60', '120', '240', '360', '720'],
  ...['1D', '3D', '1W', '1M'],
];

export const multipliers = {
  seconds: ['1', '5', '15', '30'],
  minutes: ['1', '3', '5', '15', '30', '60', '120', '240', '360', '720'],
  days: ['1', '3'],
} as const;

/** Null for a length that there are no bars of; the number may be left out where it is one. */
export function intervalOfResolution(text: string): Interval | null {
  const name = /^[SDWM]$/i.test(text) ? `1${text}` : text;
  return intervalOf[name.toUpperCase()] ?? null;
}
