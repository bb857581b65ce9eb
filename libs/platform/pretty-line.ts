import type { LoggedError } from './logged-error.js';

const LEVEL_MARKS: Record<string, string> = {
  trace: '\u001b[2mtrace\u001b[0m',
  debug: '\u001b[2mdebug\u001b[0m',
  info: '\u001b[36minfo \u001b[0m',
  warn: '\u001b[33mwarn \u001b[0m',
  error: '\u001b[31merror\u001b[0m',
};

/** One JSON log line as a person reads it: time, level, sentence, then the fields. Unknown shapes pass unchanged. */
export function prettyLine(line: string): string {
  let record: Record<string, unknown>;
  try {
    record = JSON.parse(line);
  } catch {
    return line; // not ours: better shown raw than lost
  }
  const { time, level, msg, err, error, ...fields } = record;
  const clock = typeof time === 'string' ? time.slice(11, 23) : '';
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`);
  const failure = failureLines((err ?? error) as LoggedError | string | undefined);
  const head = `${clock} ${LEVEL_MARKS[String(level)] ?? level} ${msg ?? ''}`;
  const tail = rest.length > 0 ? ` \u001b[2m${rest.join(' ')}\u001b[0m` : '';
  return `${head}${tail}\n${failure === '' ? '' : `${indent(failure)}\n`}`;
}

/** A line for the error and one for each of its causes. */
function failureLines(failure: LoggedError | string | undefined): string {
  if (typeof failure !== 'object') return failure ?? '';
  const { type, message, at, cause } = failure;
  const line = `${type}: ${message}${at === undefined ? '' : ` (${at})`}`;
  return cause === undefined ? line : `${line}\nbecause of ${failureLines(cause)}`;
}

const shown = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=]*$/.test(value) ? value : JSON.stringify(value);

const indent = (text: string): string => text.replace(/^/gm, '    ');
