import { type Interval, intervalMs } from '#libs/pipeline/fold/candles.js';

const FIRST_MONDAY = 4 * 86_400;
const LONGEST_MONTH = 31 * 86_400;

/** Length in seconds; the longest month for `1M`. */
export function intervalSeconds(interval: Interval): number {
  return (intervalMs(interval) ?? LONGEST_MONTH * 1000) / 1000;
}

/** `bucketStart` in SQL: the start in seconds of the bucket that holds the Unix second `second`, from 1970-01-05 on. */
export function bucketSql(interval: Interval, second: string): string {
  if (interval === '1M') {
    return `toInt64(toUnixTimestamp(toDateTime(toStartOfMonth(toDateTime(${second}, 'UTC')), 'UTC')))`;
  }
  const length = intervalSeconds(interval);
  const offset = interval === '1w' ? FIRST_MONDAY : 0;
  return `(intDiv(toInt64(${second}) - ${offset}, ${length}) * ${length} + ${offset})`;
}

/** The stored interval (seconds) that candles of this one are made of; null: of trades only. */
export function storedIntervalOf(interval: Interval): 60 | 3_600 | 86_400 | null {
  const seconds = intervalSeconds(interval);
  if (seconds < 60) return null;
  if (seconds < 3_600) return 60;
  return seconds < 86_400 ? 3_600 : 86_400;
}
