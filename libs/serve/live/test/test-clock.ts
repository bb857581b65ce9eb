import type { LiveClock } from '../live-options.js';

/** A clock that is moved by hand. */
export class TestClock implements LiveClock {
  private now = 0;
  private readonly timers = new Set<{ at: number; run: () => void }>();

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.now + ms, run };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  get waiting(): number {
    return this.timers.size;
  }

  move(ms: number): void {
    this.now += ms;
    for (const timer of [...this.timers]) {
      if (timer.at > this.now || !this.timers.delete(timer)) continue;
      timer.run();
    }
  }
}
