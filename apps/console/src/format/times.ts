/** Times and spans in words. Spans are rounded down: "59 s" is not yet a minute. */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** One unit: `4 s`, `12 m`, `3 h`, `9 d`. */
export function shortSpan(ms: number): string {
  const span = Math.max(0, ms);
  if (span < MINUTE) return `${Math.floor(span / SECOND)} s`;
  if (span < HOUR) return `${Math.floor(span / MINUTE)} m`;
  if (span < 2 * DAY) return `${Math.floor(span / HOUR)} h`;
  return `${Math.floor(span / DAY)} d`;
}

/** Two units, for an outlook: `2 h 5 min`, `45 s`. */
export function longSpan(ms: number): string {
  const span = Math.max(0, ms);
  if (span < MINUTE) return `${Math.ceil(span / SECOND)} s`;
  if (span < HOUR) return `${Math.floor(span / MINUTE)} min ${Math.floor((span % MINUTE) / SECOND)} s`;
  if (span < 2 * DAY) return `${Math.floor(span / HOUR)} h ${Math.floor((span % HOUR) / MINUTE)} min`;
  return `${Math.floor(span / DAY)} d ${Math.floor((span % DAY) / HOUR)} h`;
}

export const ago = (time: number, now: number): string =>
  now - time < SECOND ? 'just now' : `${shortSpan(now - time)} ago`;

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const minutes = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const monthOfYear = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric' });
const utc = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', ...options });
const dayOfUtc = utc({ day: 'numeric', month: 'short' });
const monthOfUtc = utc({ month: 'short', year: 'numeric' });
const dateOfUtc = utc({ dateStyle: 'medium' });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

export const clockTime = (time: number): string => clock.format(time);
export const minuteTime = (time: number): string => minutes.format(time);
export const dayTime = (time: number): string => day.format(time);
export const monthTime = (time: number): string => monthOfYear.format(time);
export const fullTime = (time: number): string => whole.format(time);
export const utcDay = (time: number): string => dayOfUtc.format(time);
export const utcMonth = (time: number): string => monthOfUtc.format(time);
export const utcDate = (time: number): string => dateOfUtc.format(time);
