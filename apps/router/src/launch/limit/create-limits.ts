import { MOST_CREATES } from '../launch-problem.js';

export const WINDOW_MS = 60_000;

/** Port: how many creates each client began in the last minute. */
export interface CreateLimits {
  /** Counts one and answers 0, or counts nothing and answers the time until one would be let in. */
  take(client: string): number | Promise<number>;
}

/** Counted in this process. Invariant: in any 60 s at most MOST_CREATES of one client are let in. */
export class MemoryCreateLimits implements CreateLimits {
  private readonly times = new Map<string, number[]>();
  private sweptAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly now: () => number) {}

  take(client: string): number {
    const now = this.now();
    this.sweep(now);
    const recent = (this.times.get(client) ?? []).filter((time) => time > now - WINDOW_MS);
    this.times.set(client, recent);
    if (recent.length >= MOST_CREATES) return recent[0]! + WINDOW_MS - now;
    recent.push(now);
    return 0;
  }

  /** Clients that have not come for a minute are forgotten. */
  private sweep(now: number): void {
    if (now - this.sweptAt < WINDOW_MS) return;
    this.sweptAt = now;
    for (const [client, times] of this.times) {
      if ((times.at(-1) ?? 0) <= now - WINDOW_MS) this.times.delete(client);
    }
  }
}
