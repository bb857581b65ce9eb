import { setTimeout as delay } from 'node:timers/promises';

export interface BackoffRule {
  firstMs: number;
  maxMs: number;
  /** A run at least this long counts as healthy: the next failure starts from firstMs again. */
  healthyMs: number;
}

export const defaultBackoff: BackoffRule = { firstMs: 250, maxMs: 30_000, healthyMs: 60_000 };

/**
 * Delays that double, with jitter between half and all of the step, so that stages that failed together do not restart
 * together.
 */
export class Backoff {
  private step = 0;

  constructor(
    private readonly rule: BackoffRule = defaultBackoff,
    private readonly random: () => number = Math.random,
  ) {}

  next(ranForMs: number): number {
    if (ranForMs >= this.rule.healthyMs) this.step = 0;
    const full = Math.min(this.rule.maxMs, this.rule.firstMs * 2 ** Math.min(this.step, 30));
    this.step++;
    return Math.round(full * (0.5 + this.random() / 2));
  }

  reset(): void {
    this.step = 0;
  }
}

/** Waits, and returns early (without throwing) when the signal aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
