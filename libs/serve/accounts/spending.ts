import type { Account } from './account.js';

export interface Spend {
  readonly account: Account;
  /** For the rate; 0: it is not asked. */
  readonly requests: number;
  /** Requests of the rate that the same request took before: given back where this is refused. */
  readonly held: number;
  readonly credits: number;
  /** What the usage topic, and this process since, know to be spent: what a cache is at least. */
  readonly spent: Taken;
  /** YYYY-MM, to which `spent.included` belongs. */
  readonly month: string;
}

export type SpendOutcome = SpendAllowed | SpendRefused;

interface Rest {
  readonly remaining: number;
  readonly resetMs: number;
  /** null: no limit. */
  readonly credits: number | null;
}

interface SpendAllowed extends Rest {
  readonly refused: null;
  readonly taken: Taken;
}

/** How credits were taken: out of the month's, and out of grants. */
export interface Taken {
  readonly included: number;
  readonly extra: number;
}

interface SpendRefused extends Rest {
  readonly refused: 'rate' | 'batch' | 'credits';
  readonly waitMs: number;
}

/** Port: the counters of rate and credits. Rate comes first; whatever is refused has taken nothing. */
export interface SpendingStore {
  spend(spend: Spend): SpendOutcome | Promise<SpendOutcome>;
  /** Once a request is answered: what it took is paid, and in the usage now, or given back. */
  settle(account: Account, month: string, taken: Taken, paid: boolean): void;
  close(): void;
}

/** What is left of the credits; null: no limit. */
export function creditsLeft({ credits, granted }: Account, spent: Taken): number | null {
  if (credits === null) return null;
  return Math.max(0, credits - spent.included) + Math.max(0, granted - spent.extra);
}

/** How credits are taken: first what the month includes, then grants; null: there are not enough, or none. */
export function splitOf(account: Account, credits: number, spent: Taken): Taken | null {
  const left = creditsLeft(account, spent);
  if (left === null) return { included: credits, extra: 0 };
  if (credits > left || left === 0) return null;
  const included = Math.min(credits, Math.max(0, account.credits! - spent.included));
  return { included, extra: credits - included };
}
