import type {
  AccountEntry,
  AccountRecord,
  GrantRecord,
  KeyRecord,
  PlanRecord,
} from '#libs/protocol/accounts/account-record.js';
import type { Account, ApiKey, Caller } from './account.js';
import { keyIdOf, sameHash } from './key-text.js';
import { RATE_WITHOUT_PLAN, standardPlans } from './plans.js';

interface KnownKey extends ApiKey {
  readonly record: KeyRecord;
}

/**
 * Plans, accounts, keys and grants as the records of the topic say, in whatever order they come: a function of the newest
 * value of each topic key. A key is found by its id, the beginning of its hash, and is the one whose whole hash is the same:
 * where a look-up takes longer says nothing of any key.
 */
export class Directory {
  private readonly plansByName = new Map(standardPlans.map((plan) => [plan.name, plan]));
  private readonly entries = new Map<string, AccountEntry>();
  /** By id; more than one of an id only where hashes begin alike. */
  private readonly keysById = new Map<string, KnownKey[]>();
  private readonly grantsById = new Map<string, Map<string, GrantRecord>>();
  private readonly accounts = new Map<string, Account>();
  private readonly listeners = new Set<() => void>();

  put(record: AccountRecord): void {
    if (record.kind === 'plan') {
      this.plansByName.set(record.name, record);
      for (const id of this.entries.keys()) this.refresh(id);
    } else if (record.kind === 'account') {
      this.entries.set(record.id, record);
      this.refresh(record.id);
    } else if (record.kind === 'key') {
      const { hash, scopes, origins } = record;
      const id = keyIdOf(hash);
      const others = (this.keysById.get(id) ?? []).filter((key) => key.hash !== hash);
      this.keysById.set(id, [...others, { id, hash, scopes, origins, record }]);
    } else {
      const grants = this.grantsById.get(record.account) ?? new Map<string, GrantRecord>();
      this.grantsById.set(record.account, grants.set(record.id, record));
      this.refresh(record.account);
    }
    for (const listener of this.listeners) listener();
  }

  /** Called after every record. */
  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** Who has the key of this hash at this time; null: no account. */
  callerOf(hash: string, now: number): Caller | null {
    const known = this.keysById.get(keyIdOf(hash));
    const key = known?.find((each) => sameHash(each.hash, hash));
    if (key === undefined) return null;
    const { revokedAt, expiresAt, account: id } = key.record;
    if (revokedAt !== null || (expiresAt !== null && expiresAt <= now)) return null;
    const account = this.accounts.get(id);
    return account === undefined ? null : { account, key };
  }

  /** Of an account that is open. */
  account(id: string): Account | null {
    return this.accounts.get(id) ?? null;
  }

  entry(id: string): AccountEntry | null {
    return this.entries.get(id) ?? null;
  }

  allAccounts(): AccountEntry[] {
    return [...this.entries.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  plan(name: string): PlanRecord | null {
    return this.plansByName.get(name) ?? null;
  }

  plans(): PlanRecord[] {
    return [...this.plansByName.values()];
  }

  /** Of one account, or of all; the oldest first. */
  keys(account: string | null = null): KeyRecord[] {
    const all = [...this.keysById.values()].flat().map(({ record }) => record);
    return all
      .filter((record) => account === null || record.account === account)
      .sort((a, b) => a.createdAt - b.createdAt || (a.hash < b.hash ? -1 : 1));
  }

  grants(account: string): GrantRecord[] {
    return [...(this.grantsById.get(account)?.values() ?? [])].sort((a, b) => a.at - b.at);
  }

  private refresh(id: string): void {
    const entry = this.entries.get(id);
    if (entry === undefined) return;
    if (entry.closed) {
      this.accounts.delete(id);
      return;
    }
    const { name, plan: planName } = entry;
    const plan = planName === null ? undefined : this.plansByName.get(planName);
    const granted = this.grants(id).reduce((sum, { credits }) => sum + credits, 0);
    this.accounts.set(id, {
      ...{ id, name, plan: planName, granted },
      rate: entry.rate ?? plan?.rate ?? RATE_WITHOUT_PLAN,
      credits: plan?.credits ?? null,
    });
  }
}
