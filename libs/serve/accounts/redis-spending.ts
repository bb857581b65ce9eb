import type { Redis } from 'ioredis';
import { RedisLink, type RedisLinkOptions } from '#libs/platform/redis-link.js';
import type { Account } from './account.js';
import { BURST_MS } from './rate-buckets.js';
import { SPEND_SCRIPT } from './spend-script.js';
import { creditsLeft, type Spend, type SpendingStore, type SpendOutcome, type Taken } from './spending.js';

export interface RedisSpendingOptions {
  /** redis or rediss, credentials allowed. It never reaches a log. */
  url: string;
  logger: RedisLinkOptions['logger'];
  /** Counts while Redis is away. */
  local: SpendingStore;
  keyPrefix?: string;
  /** How long one command may take. */
  timeoutMs?: number;
}

const PREFIX = 'tidepool:spend:';
const TIMEOUT_MS = 500;

interface Scripted extends Redis {
  spend(key: string, ...args: (string | number)[]): Promise<(number | string)[]>;
}

/**
 * Counters that every process of one Redis shares: one script a request, so that nothing comes between looking and
 * taking. Redis is a cache: what it lost, or missed while it was away, comes back from the usage that each request brings
 * along. Without Redis requests are let in by this process's own counters, at its share of the rate.
 */
export class RedisSpending implements SpendingStore {
  private readonly link: RedisLink;
  private readonly redis: Scripted;
  private readonly prefix: string;
  /** What was taken from the local counters is settled there. */
  private readonly takenLocally = new WeakSet<Taken>();

  constructor(private readonly options: RedisSpendingOptions) {
    const { url, logger, keyPrefix = PREFIX, timeoutMs = TIMEOUT_MS } = options;
    this.prefix = keyPrefix;
    const without = 'each process lets in its share of the rate, usage is counted on';
    this.link = new RedisLink({ url, timeoutMs, logger, name: 'accounts', without });
    this.redis = this.link.redis as Scripted;
    this.redis.defineCommand('spend', { numberOfKeys: 1, lua: SPEND_SCRIPT });
  }

  spend(spend: Spend): SpendOutcome | Promise<SpendOutcome> {
    if (!this.link.ready) return this.spendLocally(spend);
    const { account, requests, held, credits, spent, month } = spend;
    const { id, rate, credits: allowance, granted } = account;
    const known = [spent.included, spent.extra];
    const terms = [rate, requests, BURST_MS, credits, allowance ?? -1, granted, month, ...known, held];
    return this.redis.spend(this.prefix + id, ...terms).then(
      (answer) => {
        this.link.back();
        return outcomeOf(account, answer as number[]);
      },
      (error: unknown) => {
        this.link.lost(error);
        return this.spendLocally(spend);
      },
    );
  }

  settle(account: Account, month: string, taken: Taken, paid: boolean): void {
    if (this.takenLocally.has(taken)) {
      this.options.local.settle(account, month, taken, paid);
      return;
    }
    if (paid || account.credits === null || taken.included + taken.extra === 0) return;
    if (!this.link.ready) return;
    const key = this.prefix + account.id;
    const back = this.redis.multi().hincrby(key, 'x', -taken.extra);
    // Credits of another month are gone with it.
    back.hincrby(key, `i${month}`, -taken.included);
    back.exec().catch((error: unknown) => this.link.lost(error));
  }

  close(): void {
    this.link.close();
  }

  private spendLocally(spend: Spend): SpendOutcome | Promise<SpendOutcome> {
    const outcome = this.options.local.spend(spend);
    if (!(outcome instanceof Promise) && outcome.refused === null) this.takenLocally.add(outcome.taken);
    return outcome;
  }
}

const REFUSALS = [null, 'rate', 'batch', 'credits'] as const;

function outcomeOf(account: Account, answer: readonly number[]): SpendOutcome {
  const [code, remaining, resetMs, waitMs, included, extra, usedIncluded, usedExtra] = answer as [
    ...[number, number, number, number],
    ...[number, number, number, number],
  ];
  const credits = creditsLeft(account, { included: usedIncluded, extra: usedExtra });
  const refused = REFUSALS[code]!;
  if (refused !== null) return { refused, remaining, resetMs, waitMs, credits };
  return { refused, remaining, resetMs, credits, taken: { included, extra } };
}
