import { badRequest } from '#libs/serve/http/problem.js';

/** Unix ms; none where the search has no such end. */
export interface BarSpan {
  readonly fromTime: number | undefined;
  readonly toTime: number | undefined;
}

/** No bar starts below or above these, Unix seconds: a search ends there whatever was asked for. */
const FIRST = 0;
const LAST = 100_000_000_000;

/** The years 2000 to 2100 in milliseconds: read as seconds, they are 30,000 years ahead and more. */
const CENTURY_MS = { from: 946_684_800_000, to: 4_102_444_800_000 };

/**
 * The time in which a chart asks for bars. The charting library goes back by the length of a bar, also to times before 1970, and
 * some clients write a far time for "up to now": a time only says where the search begins or ends, so that any is taken. With
 * `countback` there is no beginning. What is refused says nothing that could be meant: no time, an end before the
 * beginning, and milliseconds.
 */
export function barSpan({ from, to, countback }: { from?: number; to?: number; countback?: number }): BarSpan {
  const begins = countback === undefined;
  if (begins && from === undefined) throw badRequest('from is required without countback');
  if (begins) refuseMilliseconds('from', from);
  refuseMilliseconds('to', to);
  if (begins && from !== undefined && to !== undefined && from >= to) throw badRequest('from must be before to');
  return { fromTime: begins ? inMs(from) : undefined, toTime: inMs(to) };
}

function refuseMilliseconds(name: string, time: number | undefined): void {
  if (time === undefined || time < CENTURY_MS.from || time >= CENTURY_MS.to) return;
  throw badRequest(`${name} must be a Unix time in seconds: ${time} is one in milliseconds`);
}

const inMs = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : Math.min(Math.max(seconds, FIRST), LAST) * 1000;
