import { UndecodableError } from '#libs/core/errors.js';

/**
 * Values of the compacted topic `accounts`: plans, accounts, keys and grants, each whole under its own topic key. A later
 * value replaces the one before it, so that reading the topic in any state gives the newest of each. A key itself is
 * nowhere in them: it is known by its SHA-256.
 */
export type AccountRecord = PlanRecord | AccountEntry | KeyRecord | GrantRecord;

export interface PlanRecord {
  readonly kind: 'plan';
  readonly name: string;
  /** Requests a second; 0: no limit. */
  readonly rate: number;
  /** Credits included in each calendar month (UTC); null: no limit. */
  readonly credits: number | null;
}

export interface AccountEntry {
  readonly kind: 'account';
  readonly id: string;
  readonly name: string;
  /** null: no plan. */
  readonly plan: string | null;
  /** Requests a second in place of the plan's; null: the plan's; 0: no limit. */
  readonly rate: number | null;
  readonly createdAt: number;
  /** Every key of a closed account is refused. */
  readonly closed: boolean;
}

/** What a key may be used for. */
export const keyScopes = ['data', 'router', 'launch', 'gateway'] as const;
export type KeyScope = (typeof keyScopes)[number];

export interface KeyRecord {
  readonly kind: 'key';
  /** SHA-256 of the key, in hex. */
  readonly hash: string;
  readonly account: string;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  /** Pages that may use it, by origin; empty: it may come from anywhere. */
  readonly origins: readonly string[];
  readonly createdAt: number;
  /** Refused from then on; null: it has no end. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export interface GrantRecord {
  readonly kind: 'grant';
  readonly id: string;
  readonly account: string;
  readonly credits: number;
  readonly reason: string;
  readonly at: number;
}

export const ACCOUNT_ID = /^[a-z0-9][a-z0-9-]{0,39}$/;
export const PLAN_NAME = /^[A-Za-z][A-Za-z0-9 _-]{0,39}$/;
const KEY_HASH = /^[0-9a-f]{64}$/;
export const GRANT_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,79}$/;
const ORIGIN = /^https?:\/\/[^/\s?#]{1,200}$/;
const MOST_RATE = 1_000_000;

export function topicKeyOf(record: AccountRecord): string {
  switch (record.kind) {
    case 'plan':
      return `plan:${record.name}`;
    case 'account':
      return `account:${record.id}`;
    case 'key':
      return `key:${record.hash}`;
    default:
      return `grant:${record.account}:${record.id}`;
  }
}

export const encodeAccountRecord = (record: AccountRecord): Uint8Array =>
  Buffer.from(JSON.stringify({ version: VERSION, ...record }), 'utf8');

/** Strict: whatever this program would not have written is an UndecodableError. */
export function decodeAccountRecord(bytes: Uint8Array): AccountRecord {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw undecodable((error as Error).message);
  }
  if (typeof value !== 'object' || value === null) throw undecodable('no object');
  const from = value as Fields;
  if (from.version !== VERSION) throw undecodable(`version ${String(from.version).slice(0, 20)}`);
  const read = readers[from.kind as AccountRecord['kind']];
  if (read === undefined) throw undecodable('kind');
  return read(from);
}

const VERSION = 1;
type Fields = Record<string, unknown>;
const undecodable = (reason: string) => new UndecodableError('account record', reason);

const readers: Readonly<Record<AccountRecord['kind'], (from: Fields) => AccountRecord>> = {
  plan: (from) => ({
    kind: 'plan',
    name: matching(from, 'name', PLAN_NAME),
    rate: whole(from, 'rate', 0, MOST_RATE),
    credits: from.credits === null ? null : whole(from, 'credits'),
  }),
  account: (from) => ({
    kind: 'account',
    id: matching(from, 'id', ACCOUNT_ID),
    name: text(from, 'name'),
    plan: from.plan === null ? null : matching(from, 'plan', PLAN_NAME),
    rate: from.rate === null ? null : whole(from, 'rate', 0, MOST_RATE),
    createdAt: whole(from, 'createdAt'),
    closed: flag(from, 'closed'),
  }),
  key: (from) => ({
    kind: 'key',
    hash: matching(from, 'hash', KEY_HASH),
    account: matching(from, 'account', ACCOUNT_ID),
    name: text(from, 'name'),
    scopes: list(from, 'scopes', (scope): scope is KeyScope => keyScopes.includes(scope as KeyScope)),
    origins: list(from, 'origins', (origin): origin is string => ORIGIN.test(origin)),
    createdAt: whole(from, 'createdAt'),
    expiresAt: from.expiresAt === null ? null : whole(from, 'expiresAt'),
    revokedAt: from.revokedAt === null ? null : whole(from, 'revokedAt'),
  }),
  grant: (from) => ({
    kind: 'grant',
    id: matching(from, 'id', GRANT_ID),
    account: matching(from, 'account', ACCOUNT_ID),
    credits: whole(from, 'credits', 1),
    reason: text(from, 'reason'),
    at: whole(from, 'at'),
  }),
};

function text(from: Fields, name: string): string {
  const value = from[name];
  if (typeof value !== 'string' || value.length > 200) throw undecodable(name);
  return value;
}

function matching(from: Fields, name: string, rule: RegExp): string {
  const value = text(from, name);
  if (!rule.test(value)) throw undecodable(name);
  return value;
}

function whole(from: Fields, name: string, least = 0, most = Number.MAX_SAFE_INTEGER): number {
  const value = from[name];
  if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most) throw undecodable(name);
  return value as number;
}

function flag(from: Fields, name: string): boolean {
  const value = from[name];
  if (typeof value !== 'boolean') throw undecodable(name);
  return value;
}

function list<T extends string>(from: Fields, name: string, allowed: (item: string) => item is T): T[] {
  const value = from[name];
  if (!Array.isArray(value)) throw undecodable(name);
  return value.map((item: unknown) => {
    if (typeof item !== 'string' || !allowed(item)) throw undecodable(name);
    return item;
  });
}
