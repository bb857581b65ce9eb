/** How long an idle account collects what it may send at once. */
export const BURST_MS = 2_000;

export interface RateOutcome {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetMs: number;
  /** Until the same would be allowed; 0 when it was. */
  readonly waitMs: number;
}

interface Bucket {
  /** Thousandths of a request, times the share. */
  debt: number;
  at: number;
}

const LARGE = 10_000;

/**
 * Requests a second, by account, as a leaking bucket in whole numbers: each request adds to the debt, time takes off it,
 * and at most two seconds' worth may be owed. A refused request adds nothing. One of `share` processes that know nothing
 * of each other's requests allows so much less: there a request weighs `share` times as much.
 */
export class RateBuckets {
  private readonly buckets = new Map<string, Bucket>();

  /** With `take` false it only says what would be. */
  ask(
    { id, rate }: { id: string; rate: number },
    requests: number,
    now: number,
    share: number,
    take: boolean,
  ): RateOutcome {
    const unit = 1_000 * share;
    const capacity = BURST_MS * rate;
    let bucket = this.buckets.get(id);
    if (bucket === undefined) {
      if (this.buckets.size >= LARGE) this.dropIdle(now);
      bucket = { debt: 0, at: now };
      this.buckets.set(id, bucket);
    }
    // A clock that was put back takes nothing off.
    const passed = Math.max(0, now - bucket.at);
    const debt = Math.max(0, bucket.debt - passed * rate);
    const after = debt + requests * unit;
    const allowed = after <= capacity;
    bucket.debt = allowed && take ? after : debt;
    bucket.at = now;
    return {
      allowed,
      remaining: Math.max(0, Math.floor((capacity - bucket.debt) / unit)),
      resetMs: Math.ceil(bucket.debt / rate),
      waitMs: allowed ? 0 : Math.ceil((after - capacity) / rate),
    };
  }

  /** As if these requests had never been let in. */
  giveBack({ id }: { id: string }, requests: number, share: number): void {
    const bucket = this.buckets.get(id);
    if (bucket !== undefined) bucket.debt = Math.max(0, bucket.debt - requests * 1_000 * share);
  }

  /** An account that has been silent for the time of a burst owes nothing. */
  private dropIdle(now: number): void {
    for (const [account, { at }] of this.buckets) if (now - at >= BURST_MS) this.buckets.delete(account);
  }
}
