/** How long a node wants to be left alone, in ms; null where it does not say. At most a minute is believed. */

/** A pause that the error asks for: a member of its data, or in its sentence. */
export function pauseIn(error: unknown, message: string): number | null {
  const data = (error as { data?: { backoff_seconds?: unknown } } | null)?.data;
  const seconds = data?.backoff_seconds;
  if (typeof seconds === 'number' && seconds > 0) return Math.min(seconds * 1000, 60_000);
  const said = /(?:retry|try again|wait).{0,20}?(\d+(?:\.\d+)?) ?(ms|milliseconds?|s|sec|seconds?)\b/i.exec(message);
  if (said === null) return null;
  return Math.min(Number(said[1]) * (said[2]!.toLowerCase().startsWith('m') ? 1 : 1000), 60_000);
}

/** Retry-After in milliseconds: seconds or a date, at most a minute. */
export function retryAfter(headers: Record<string, string | string[] | undefined>): number | null {
  const header = headers['retry-after'];
  if (typeof header !== 'string') return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 60_000) : null;
}
