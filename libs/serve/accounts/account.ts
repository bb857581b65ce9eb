// Room: accounts, keys and plans, and the rate, credits and usage of each. May import core, protocol,
// platform, pipeline/event-log.

import type { KeyScope } from '#libs/protocol/accounts/account-record.js';
import type { Prices } from '#libs/protocol/accounts/prices.js';

export interface Account {
  readonly id: string;
  readonly name: string;
  /** null: no plan. */
  readonly plan: string | null;
  /** Requests a second; 0: no limit. */
  readonly rate: number;
  /** Credits included in each calendar month (UTC); null: no limit. */
  readonly credits: number | null;
  /** Credits of all grants together. */
  readonly granted: number;
}

export interface ApiKey {
  /** The first 16 digits of its hash: names it without giving it away. */
  readonly id: string;
  readonly hash: string;
  readonly scopes: readonly KeyScope[];
  /** Pages that may use it, by origin; empty: it may come from anywhere. */
  readonly origins: readonly string[];
}

/** Who sends a request. */
export interface Caller {
  readonly account: Account;
  readonly key: ApiKey;
}

/** What a request takes of its account. */
export interface Work {
  /** Under this name the usage is counted. */
  readonly route: string;
  readonly credits: number;
  /** How many requests it is for the rate: 1, or the calls of a batch. */
  readonly requests?: number;
  /** Of these calls, requests that were let in already: where the rest is refused, these are given back. */
  readonly held?: number;
}

/** What a request may tell its client about the account after it. */
export interface QuotaStatus {
  /** Requests a second; null: no limit. */
  readonly rate: number | null;
  /** Requests that may be sent at once now. */
  readonly remaining: number;
  /** Until the whole burst may be sent again. */
  readonly resetMs: number;
  /** null: no limit. */
  readonly credits: number | null;
}

/** A request that was let in. Its credits are taken until it is settled. */
export interface Admission {
  readonly quota: QuotaStatus;
  /** Once the answer is known: whether it is paid. Answers what is left of the credits; null: no limit. */
  settle(paid: boolean): number | null;
  /** In place of settling: it was no request at all, what it held of the rate was given back with a refusal. */
  cancel(): void;
}

/** A request that is not let in, and has taken nothing. */
export interface Refused {
  readonly refused: 'rate' | 'batch' | 'credits';
  readonly quota: QuotaStatus;
  /** Until the same request is let in; of `rate` alone. */
  readonly waitMs: number;
}

/** Why a live connection ends: its key is none any more, or its account has no credits. */
export type StreamEnd = 'key' | 'credits';

export interface OpenStream {
  close(): void;
}

export interface UsageTotals {
  /** Spent of what the plan includes in the current month. */
  readonly included: number;
  /** Spent of grants, ever. */
  readonly extra: number;
}

export interface UsageRow {
  readonly day: string;
  readonly key: string;
  readonly route: string;
  readonly requests: number;
  readonly credits: number;
  /** Over the rate, or without credits for it. */
  readonly refused: number;
}

/** Who may call, how often, and what it costs. In process every answer comes at once; a shared store answers later. */
export interface Accounts {
  /** False until the keys were read for the first time. */
  readonly ready: boolean;
  /** Whose key it is, or null when no account has it. */
  authenticate(key: string): Caller | null;
  admit(caller: Caller, work: Work): Admission | Refused | Promise<Admission | Refused>;
  /**
   * A live connection of a request that was let in and has paid its first minute: each further minute that begins is
   * paid, and `end` is called once when the key or the credits are gone.
   */
  openStream(caller: Caller, route: string, end: (why: StreamEnd) => void): OpenStream;
  /** Whether the key may open one more live connection in this process. */
  hasRoom(caller: Caller): boolean;
  totals(account: string): UsageTotals;
  /** Usage by day, key and route, the newest day first. */
  usage(account: string, sinceDay: string): UsageRow[];
  readonly prices: Prices;
  /** The key of the demo, and the file that only its owner can read; null: it is the configuration's. */
  readonly demo: { readonly key: string; readonly file: string | null };
}
