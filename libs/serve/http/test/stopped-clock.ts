import type { RequestClock } from '../request-limits.js';

/** Time that passes when a spec says so. */
export class StoppedClock implements RequestClock {
  readonly waiting = new Set<{ ms: number; run: () => void }>();

  after(ms: number, run: () => void): () => void {
    const timer = { ms, run };
    this.waiting.add(timer);
    return () => void this.waiting.delete(timer);
  }

  pass(): void {
    for (const timer of [...this.waiting]) {
      this.waiting.delete(timer);
      timer.run();
    }
  }
}
