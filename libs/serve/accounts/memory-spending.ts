import type { Account } from './account.js';
import { BURST_MS, RateBuckets } from './rate-buckets.js';
import { creditsLeft, type Spend, type SpendingStore, type SpendOutcome, splitOf, type Taken } from './spending.js';

const NO_LIMIT = { allowed: true, remaining: 0, resetMs: 0, waitMs: 0 } as const;

/**
 * Counters of this process alone, without any waiting. Credits that are taken and not yet settled are added to what the
 * usage says. Where other processes count for themselves as well, each allows its share of the rate.
 */
export class MemorySpending implements SpendingStore {
  private readonly rates = new RateBuckets();
  private readonly unsettled = new Map<string, { included: number; extra: number }>();

  constructor(
    private readonly now: () => number,
    /** How many processes count for themselves. */
    private readonly replicas: () => number = () => 1,
  ) {}

  spend({ account, requests, held, credits, spent }: Spend): SpendOutcome {
    const { id, rate } = account;
    const share = this.replicas();
    const open = this.unsettled.get(id);
    const known =
      open === undefined ? spent : { included: spent.included + open.included, extra: spent.extra + open.extra };
    const taken = splitOf(account, credits, known);
    const limited = rate > 0 && requests + held > 0;
    const batch = limited && (requests + held) * 1_000 * share > rate * BURST_MS;
    const rated = limited
      ? this.rates.ask(account, batch ? 0 : requests, this.now(), share, taken !== null && !batch)
      : NO_LIMIT;
    const { remaining, resetMs, waitMs } = rated;
    const refused = batch ? 'batch' : !rated.allowed ? 'rate' : taken === null ? 'credits' : null;
    if (refused !== null) {
      const credits = creditsLeft(account, known);
      if (!limited || held === 0) return { refused, remaining, resetMs, waitMs, credits };
      this.rates.giveBack(account, held, share);
      return { ...this.rates.ask(account, 0, this.now(), share, false), refused, waitMs, credits };
    }
    if (account.credits !== null && credits > 0) this.hold(id, taken!, 1);
    const left = creditsLeft(account, known);
    return { refused: null, remaining, resetMs, credits: left === null ? null : left - credits, taken: taken! };
  }

  settle({ id, credits }: Account, _month: string, taken: Taken): void {
    if (credits !== null && taken.included + taken.extra > 0) this.hold(id, taken, -1);
  }

  close(): void {}

  /** An account that asked once is kept with nothing open: the next request changes it in place. */
  private hold(id: string, { included, extra }: Taken, sign: 1 | -1): void {
    let open = this.unsettled.get(id);
    if (open === undefined) {
      open = { included: 0, extra: 0 };
      this.unsettled.set(id, open);
    }
    open.included += sign * included;
    open.extra += sign * extra;
  }
}
