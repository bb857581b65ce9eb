import type { Account } from '../account.js';

/** What a request does by the words of the contract, from the whole history of what was let in: slow, and without state. */
export class NaiveSpending {
  private readonly taken: { at: number; requests: number }[] = [];
  private readonly paid: { month: string; credits: number; allowance: number }[] = [];

  /**
   * An account may at every moment have sent at most two seconds' worth more than its rate gives: for no time in the past
   * may what was let in since exceed the rate times the time that passed, and two seconds' worth more.
   */
  rateAllows(rate: number, requests: number, now: number): boolean {
    if (rate === 0 || requests === 0) return true;
    const starts = [...this.taken.map(({ at }) => at), now];
    return starts.every((start) => {
      const since = this.taken.filter(({ at }) => at >= start).reduce((sum, one) => sum + one.requests, 0);
      return (since + requests) * 1_000 <= rate * (now - start) + 2_000 * rate;
    });
  }

  take(requests: number, now: number): void {
    this.taken.push({ at: now, requests });
  }

  /** What is left: of this month's allowance, and of all grants less what no month's allowance covered. */
  left({ credits: allowance, granted }: Account, month: string): number {
    if (allowance === null) return Number.POSITIVE_INFINITY;
    let grants = granted;
    let ofMonth = allowance;
    const used = new Map<string, number>();
    for (const one of this.paid) {
      const before = used.get(one.month) ?? 0;
      const beyond = Math.max(0, before + one.credits - one.allowance) - Math.max(0, before - one.allowance);
      used.set(one.month, before + one.credits);
      grants -= beyond;
    }
    ofMonth -= Math.min(allowance, used.get(month) ?? 0);
    return ofMonth + grants;
  }

  pay(month: string, credits: number, allowance: number): void {
    this.paid.push({ month, credits, allowance });
  }
}
