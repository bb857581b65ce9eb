import { UndecodableError } from '#libs/core/errors.js';

/**
 * Values of the compacted topic `usage`, the truth about what accounts spent. Each process states, for each account and
 * day (UTC), all that it has counted since its start, so that stating it again changes nothing; usage is the sum over
 * processes and days. The same topic has a sign of life of each process that counts.
 */
export type UsageRecord = UsageDay | UsageInstance;

export interface UsageDay {
  readonly kind: 'day';
  readonly account: string;
  /** One start of one process. */
  readonly instance: string;
  /** YYYY-MM-DD */
  readonly day: string;
  /** Credits out of what the plan includes in the month. */
  readonly included: number;
  /** Credits out of grants. */
  readonly extra: number;
  /** By key and route. */
  readonly lines: readonly UsageLine[];
}

export interface UsageLine {
  /** Id of the key. */
  readonly key: string;
  readonly route: string;
  /** Requests that were let in. */
  readonly requests: number;
  readonly credits: number;
  /** Requests over the rate or without credits for them. */
  readonly refused: number;
}

interface UsageInstance {
  readonly kind: 'instance';
  readonly instance: string;
  readonly at: number;
}

/** States what several processes counted of a day long ago, in place of their own records. */
export const ROLLED_UP = 'rolled-up';

export const usageKeyOf = (record: UsageRecord): string =>
  record.kind === 'day' ? usageDayKey(record) : `@${record.instance}`;

export const usageDayKey = ({ account, instance, day }: Pick<UsageDay, 'account' | 'instance' | 'day'>): string =>
  `${account}/${instance}/${day}`;

/** What a topic key of a day names; null: it is a sign of life. */
export function usageDayOf(key: string): Pick<UsageDay, 'account' | 'instance' | 'day'> | null {
  const [account, instance, day] = key.split('/');
  if (key.startsWith('@') || instance === undefined || day === undefined) return null;
  return { account: account!, instance, day };
}

export function encodeUsage(record: UsageRecord): Uint8Array {
  if (record.kind === 'instance') return Buffer.from(JSON.stringify({ version: VERSION, ...record }), 'utf8');
  // Apart from the lines, so that older programs pass over them.
  const refused = record.lines.filter((line) => line.refused > 0).map((line) => [line.key, line.route, line.refused]);
  const more = refused.length === 0 ? {} : { refused };
  return Buffer.from(
    JSON.stringify({ version: VERSION, ...record, lines: record.lines.map(lineCells), ...more }),
    'utf8',
  );
}

/** Strict: whatever this program would not have written is an UndecodableError. */
export function decodeUsage(bytes: Uint8Array): UsageRecord {
  let from: Record<string, unknown>;
  try {
    from = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw undecodable((error as Error).message);
  }
  if (from?.version !== VERSION) throw undecodable(`version ${String(from?.version).slice(0, 20)}`);
  const instance = text(from.instance, 'instance');
  if (from.kind === 'instance') return { kind: 'instance', instance, at: count(from.at, 'at') };
  if (from.kind !== 'day' || !Array.isArray(from.lines)) throw undecodable('kind');
  const day = text(from.day, 'day');
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) throw undecodable('day');
  return {
    ...{ kind: 'day', account: text(from.account, 'account'), instance, day },
    included: count(from.included, 'included'),
    extra: count(from.extra, 'extra'),
    lines: withRefusals(from.lines.map(lineOf), from.refused),
  };
}

const VERSION = 1;
const undecodable = (reason: string) => new UndecodableError('usage', reason);

const lineCells = ({ key, route, requests, credits }: UsageLine) => [key, route, requests, credits];

function lineOf(cells: unknown): UsageLine {
  if (!Array.isArray(cells) || cells.length !== 4) throw undecodable('lines');
  const [key, route, requests, credits] = cells as unknown[];
  return {
    ...{ key: text(key, 'key'), route: text(route, 'route') },
    ...{ requests: count(requests, 'requests'), credits: count(credits, 'credits'), refused: 0 },
  };
}

function withRefusals(lines: UsageLine[], given: unknown): UsageLine[] {
  if (given === undefined) return lines;
  if (!Array.isArray(given)) throw undecodable('refused');
  const at = (key: unknown, route: unknown) => `${key} ${route}`;
  const counts = new Map<string, number>();
  for (const cells of given as unknown[]) {
    if (!Array.isArray(cells) || cells.length !== 3) throw undecodable('refused');
    counts.set(at(cells[0], cells[1]), count(cells[2], 'refused'));
  }
  return lines.map((line) => ({ ...line, refused: counts.get(at(line.key, line.route)) ?? 0 }));
}

function text(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '' || value.length > 200) throw undecodable(name);
  return value;
}

function count(value: unknown, name: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw undecodable(name);
  return value as number;
}
