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
  readonly requests: number;
  readonly credits: number;
}

export interface UsageInstance {
  readonly kind: 'instance';
  readonly instance: string;
  readonly at: number;
}

export const usageKeyOf = (record: UsageRecord): string =>
  record.kind === 'day' ? `${record.account}/${record.instance}/${record.day}` : `@${record.instance}`;

export function encodeUsage(record: UsageRecord): Uint8Array {
  const lines = record.kind === 'day' ? { lines: record.lines.map(lineCells) } : {};
  return Buffer.from(JSON.stringify({ version: VERSION, ...record, ...lines }), 'utf8');
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
    lines: from.lines.map(lineOf),
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
    ...{ requests: count(requests, 'requests'), credits: count(credits, 'credits') },
  };
}

function text(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '' || value.length > 200) throw undecodable(name);
  return value;
}

function count(value: unknown, name: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw undecodable(name);
  return value as number;
}
