/**
 * Pauses between attempts: doubling up to a longest one, each shortened by chance to between half and all of it, so that
 * clients that lost the same service do not come back at the same instant.
 */
export class ReconnectDelay {
  private failures = 0;

  constructor(
    private readonly firstMs = 500,
    private readonly maxMs = 30_000,
    private readonly random: () => number = Math.random,
  ) {}

  /** Attempts since the last reset. */
  get attempts(): number {
    return this.failures;
  }

  next(): number {
    const full = Math.min(this.maxMs, this.firstMs * 2 ** Math.min(this.failures, 20));
    this.failures++;
    return Math.round(full * (0.5 + this.random() / 2));
  }

  reset(): void {
    this.failures = 0;
  }
}
