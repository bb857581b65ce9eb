import { randomUUID } from 'node:crypto';
import { TidepoolError, UndecodableError } from '#libs/core/errors.js';
import { keyedPages } from '#libs/pipeline/event-log/keyed-pages.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import {
  ACCOUNT_ID,
  type AccountEntry,
  type AccountRecord,
  decodeAccountRecord,
  encodeAccountRecord,
  GRANT_ID,
  type GrantRecord,
  type KeyRecord,
  type KeyScope,
  keyScopes,
  PLAN_NAME,
  type PlanRecord,
  topicKeyOf,
} from '#libs/protocol/accounts/account-record.js';
import { decodeUsage } from '#libs/protocol/accounts/usage-record.js';
import { accountsTopic, usageTopic } from '#libs/protocol/topics.js';
import type { Account, UsageRow, UsageTotals } from './account.js';
import { Directory } from './directory.js';
import { hashKey, keyIdOf, newApiKey } from './key-text.js';
import { demoRecords } from './open-accounts.js';
import { creditsLeft } from './spending.js';
import { UsageLedger } from './usage-ledger.js';

export interface NewKey {
  name?: string;
  scopes?: readonly string[];
  origins?: readonly string[];
  expiresAt?: number | null;
}

export interface MadeKey {
  /** Shown once: it is stored nowhere. */
  key: string;
  record: KeyRecord;
}

export interface AccountSummary {
  entry: AccountEntry;
  account: Account | null;
  spent: UsageTotals;
  /** null: no limit. */
  creditsLeft: number | null;
}

const WRITER = 'accounts-book';
const RECORDS = 500;

/** Why a change is not made: it makes no sense, what it names is not there, or something of that name is. */
export type RefusalKind = 'wrong' | 'missing' | 'taken';

export class AccountRefusal extends TidepoolError {
  constructor(
    readonly kind: RefusalKind,
    message: string,
  ) {
    super('usage', message);
  }
}

const refuse = (message: string, kind: RefusalKind = 'wrong'): never => {
  throw new AccountRefusal(kind, message);
};

/**
 * What operators do with accounts, as records of the topic: it is read to its end first, so that a change is one of what
 * is there now. What an instance follows from the topic is all that it knows.
 */
export class AccountBook {
  private constructor(
    private readonly log: EventLog,
    private readonly directory: Directory,
    private readonly ledger: UsageLedger,
    private readonly now: () => number,
  ) {}

  static async open(log: EventLog, now: () => number = Date.now): Promise<AccountBook> {
    await log.ensureTopics([accountsTopic, usageTopic]);
    const directory = new Directory();
    // The demo key itself belongs to a data folder; its account can be changed like any other.
    directory.put(demoRecords('', null)[0]);
    for await (const page of keyedPages(log, accountsTopic, { records: RECORDS })) {
      for (const { value } of page) {
        const record = readable(value, decodeAccountRecord);
        if (record !== null) directory.put(record);
      }
    }
    const ledger = new UsageLedger('-', now);
    for await (const page of keyedPages(log, usageTopic, { records: RECORDS })) {
      for (const { key, value } of page) {
        const record = readable(value, decodeUsage);
        if (record !== null) ledger.take(record);
        else if (value === null) ledger.dropped(key);
      }
    }
    return new AccountBook(log, directory, ledger, now);
  }

  accounts(): AccountSummary[] {
    return this.directory.allAccounts().map((entry) => this.summaryOf(entry.id));
  }

  summaryOf(id: string): AccountSummary {
    const entry = this.entry(id);
    const account = this.directory.account(id);
    const spent = this.ledger.totals(id);
    return { entry, account, spent, creditsLeft: account === null ? 0 : creditsLeft(account, spent) };
  }

  plans(): PlanRecord[] {
    return this.directory.plans();
  }

  keys(account: string | null): KeyRecord[] {
    if (account !== null) this.entry(account);
    return this.directory.keys(account);
  }

  grants(account: string): GrantRecord[] {
    this.entry(account);
    return this.directory.grants(account);
  }

  usage(account: string, days: number): UsageRow[] {
    this.entry(account);
    const since = new Date(this.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10);
    return this.ledger.rows(account, since);
  }

  async createAccount(id: string, name: string, plan: string | null, rate: number | null): Promise<AccountEntry> {
    if (!ACCOUNT_ID.test(id)) {
      refuse(
        `${JSON.stringify(id)} is no account id: lower-case letters, digits and -, at most 40, a letter or digit first`,
      );
    }
    if (this.directory.entry(id) !== null) refuse(`there is an account ${id} already`, 'taken');
    if (plan !== null) this.requirePlan(plan);
    const entry: AccountEntry = {
      ...{ kind: 'account', id, name: shortText(name, 'the name'), plan, rate },
      ...{ createdAt: this.now(), closed: false },
    };
    return this.write(entry);
  }

  /** Only what is given changes. */
  async changeAccount(
    id: string,
    change: { name?: string; plan?: string | null; rate?: number | null; closed?: boolean },
  ): Promise<AccountEntry> {
    const entry = this.entry(id);
    if (change.plan !== undefined && change.plan !== null) this.requirePlan(change.plan);
    if (change.name !== undefined) shortText(change.name, 'the name');
    return this.write({ ...entry, ...change });
  }

  async setPlan(name: string, rate: number, credits: number | null): Promise<PlanRecord> {
    if (!PLAN_NAME.test(name)) refuse(`${JSON.stringify(name)} is no name of a plan: letters, digits, spaces, _ and -`);
    if (rate > 1_000_000) refuse('a plan has at most 1000000 requests a second (0: no limit)');
    return this.write({ kind: 'plan', name, rate, credits });
  }

  /** One of an id that was made before is that one, so that it can be asked for again. */
  async grant(account: string, credits: number, reason: string, id: string = randomUUID()): Promise<GrantRecord> {
    this.entry(account);
    if (credits < 1) refuse('a grant has at least 1 credit');
    if (!GRANT_ID.test(id))
      refuse(`${JSON.stringify(id)} is no id of a grant: letters, digits, . _ : and -, at most 80`);
    const before = this.directory.grants(account).find((grant) => grant.id === id);
    if (before !== undefined) {
      return before.credits === credits ? before : refuse(`grant ${id} has ${before.credits} credits`, 'taken');
    }
    const known = this.directory.grants(account).reduce((sum, grant) => sum + grant.credits, 0);
    if (!Number.isSafeInteger(known + credits)) refuse('the grants of an account are at most 9007199254740991 credits');
    const record: GrantRecord = {
      ...{ kind: 'grant', id, account, credits },
      ...{ reason: shortText(reason, 'the reason'), at: this.now() },
    };
    return this.write(record);
  }

  async createKey(account: string, given: NewKey): Promise<MadeKey> {
    const made = this.makeKey(account, given);
    await this.write(made.record);
    return made;
  }

  /** A new key with what the old one was for; the old one is refused once the grace is over. */
  async rotateKey(id: string, graceMs: number): Promise<MadeKey & { old: KeyRecord }> {
    const before = this.key(id);
    const { account, name, scopes, origins } = before;
    const made = this.makeKey(account, { name, scopes, origins });
    const end = this.now() + graceMs;
    const old = { ...before, expiresAt: before.expiresAt === null ? end : Math.min(before.expiresAt, end) };
    await this.write(made.record, old);
    return { ...made, old };
  }

  async revokeKey(id: string): Promise<KeyRecord> {
    return this.write({ ...this.key(id), revokedAt: this.now() });
  }

  private makeKey(account: string, { name = '', scopes, origins = [], expiresAt = null }: NewKey): MadeKey {
    this.entry(account);
    const key = newApiKey();
    const record: KeyRecord = {
      ...{ kind: 'key', hash: hashKey(key), account, name: shortText(name, 'the name') },
      ...{ scopes: scopes === undefined ? keyScopes : scopesOf(scopes), origins: originsOf(origins) },
      ...{ createdAt: this.now(), expiresAt, revokedAt: null },
    };
    return { key, record };
  }

  private entry(id: string): AccountEntry {
    return (
      this.directory.entry(id) ??
      refuse(`there is no account ${JSON.stringify(id)}; tidepool accounts ls lists them`, 'missing')
    );
  }

  private requirePlan(name: string): void {
    if (this.directory.plan(name) !== null) return;
    refuse(
      `there is no plan ${JSON.stringify(name)}; there are ${this.plans()
        .map((plan) => plan.name)
        .join(', ')}`,
    );
  }

  /** By its id, its hash or itself. */
  private key(given: string): KeyRecord {
    const hash = hashKey(given);
    const found = this.directory
      .keys()
      .find((key) => [key.hash, keyIdOf(key.hash)].includes(given) || key.hash === hash);
    if (found === undefined) return refuse('there is no such key; tidepool keys ls lists them by their ids', 'missing');
    if (found.revokedAt !== null) refuse(`key ${keyIdOf(found.hash)} was revoked`, 'taken');
    return found;
  }

  /** All of them or none. */
  private async write<T extends AccountRecord>(record: T, ...more: AccountRecord[]): Promise<T> {
    const records = [record, ...more];
    const appends = records.map((each) => {
      const value = encodeAccountRecord(each);
      decodeAccountRecord(value);
      return { topic: accountsTopic, key: topicKeyOf(each), value };
    });
    const writer = await this.log.openWriter(WRITER);
    try {
      await writer.append(appends);
    } finally {
      await writer.close();
    }
    for (const each of records) this.directory.put(each);
    return record;
  }
}

/** A record of a newer program is left alone. */
function readable<T>(value: Uint8Array | null, decode: (bytes: Uint8Array) => T): T | null {
  if (value === null) return null;
  try {
    return decode(value);
  } catch (error) {
    if (error instanceof UndecodableError) return null;
    throw error;
  }
}

function shortText(text: string, what: string): string {
  return text.length <= 200 ? text : refuse(`${what} has at most 200 characters`);
}

function scopesOf(given: readonly string[]): KeyScope[] {
  const wrong = given.find((scope) => !keyScopes.includes(scope as KeyScope));
  if (wrong !== undefined || given.length === 0) {
    refuse(`${JSON.stringify(wrong ?? '')} is no scope; there are ${keyScopes.join(', ')}`);
  }
  return [...new Set(given)] as KeyScope[];
}

/** As browsers send them. */
function originsOf(given: readonly string[]): string[] {
  return given.map((text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    const fits = url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search + url.hash === '';
    return fits ? url.origin : refuse(`${JSON.stringify(text)} is no origin: give it as https://app.example`);
  });
}
