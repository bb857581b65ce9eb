/** Lengths of a candle that the page offers, shortest first. */
export const intervals: readonly string[] = [
  ...['1s', '5s', '15s', '30s', '1m', '3m', '5m', '15m', '30m'],
  ...['1h', '2h', '4h', '6h', '12h', '1d', '3d', '1w', '1M'],
];

export const neighbour = (interval: string, step: 1 | -1): string =>
  intervals[Math.min(intervals.length - 1, Math.max(0, intervals.indexOf(interval) + step))]!;

/** How a time is written below candles of this length. */
export const precisionOf = (interval: string): 'seconds' | 'minutes' | 'days' =>
  interval.endsWith('s') ? 'seconds' : /[dwM]$/.test(interval) ? 'days' : 'minutes';
