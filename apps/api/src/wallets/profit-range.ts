import type { WalletProfitQuery } from '#libs/serve/contract/rest/profit-queries.js';
import { badRequest } from '#libs/serve/http/problem.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const intervals = {
  '1d': { ms: DAY, buckets: 30, mostDays: 365 },
  '1h': { ms: HOUR, buckets: 24, mostDays: 30 },
} as const;

/** Whole buckets: from the start of the first to the end of the last. */
export interface ProfitRange {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** The buckets that are asked for, up to the one of a block's time; a range beyond the limit of its interval is a 400. */
export function profitRange({ interval, ...asked }: WalletProfitQuery, headTime: number): ProfitRange {
  const { ms, buckets, mostDays } = intervals[interval];
  const to = asked.to ?? Math.max(headTime, asked.from ?? 0) + 1;
  const end = Math.ceil(to / ms) * ms;
  const from = asked.from ?? end - buckets * ms;
  if (from >= to) throw badRequest('from must be before to');
  if (to - from > mostDays * DAY + (asked.to === undefined ? 1 : 0)) {
    throw badRequest(
      `from must be at most ${mostDays} days before to: interval=${interval} covers at most ${mostDays} days`,
    );
  }
  const begin = Math.floor(Math.max(0, from) / ms) * ms;
  const known = (Math.floor(headTime / ms) + 1) * ms;
  return { from: begin, to: Math.max(begin, Math.min(end, known)), step: ms };
}
