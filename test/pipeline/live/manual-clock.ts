import type { LiveClock } from '#libs/serve/live/live-options.js';

/** Timers that fire when the schedule says so. */
export class ManualClock implements LiveClock {
  private readonly timers = new Set<{ ms: number; run: () => void }>();

  after(ms: number, run: () => void): () => void {
    const timer = { ms, run };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  get waiting(): number {
    return this.timers.size;
  }

  /** Fires what is due soonest among those of at most `longest` ms. */
  fire(longest = Number.POSITIVE_INFINITY): boolean {
    const due = [...this.timers].filter(({ ms }) => ms <= longest).sort((a, b) => a.ms - b.ms)[0];
    if (due === undefined) return false;
    this.timers.delete(due);
    due.run();
    return true;
  }
}
