import type { Interval } from '#libs/pipeline/fold/candles.js';
import { badRequest } from '#libs/serve/http/problem.js';

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

/**
 * The interval of a resolution; a 400 for a length that there are no bars of. The number may be left out where it is one, and letters
 * may be small but for months: `m` is a minute elsewhere, and no minute has a letter here.
 */
export function intervalOfResolution(text: string): Interval {
  const [, count, letter] = /^(\d*)([A-Za-z]?)$/.exec(text) ?? [];
  if (letter === 'm') {
    const length = count || '1';
    throw badRequest(`resolution ${text} may be minutes or months: ${length} is minutes, ${length}M months`);
  }
  const name = letter ? `${count || '1'}${letter.toUpperCase()}` : text;
  if (!Object.hasOwn(intervalOf, name)) throw badRequest(`resolution must be one of ${resolutions.join(', ')}`);
  return intervalOf[name]!;
}
