/**
 * Whether the holder of a lease has been silent for the length of it, as seen by a process that looked all the while. Only a
 * clock that never steps is asked, and only one's own: two hosts need not agree on the time. Time without a look is no silence:
 * after a gap between two looks (the log was away, this process slept) the wait begins again.
 */
export class Silence {
  private mark: string | null = null;
  private since = 0;
  private lookedAt: number | null = null;

  constructor(
    private readonly lengthMs: number,
    /** Milliseconds on a clock that never steps. */
    private readonly steady: () => number,
  ) {}

  /** A look found this; `beganAt` is when it was begun. True when nothing else was found for the whole length. */
  found(mark: string, beganAt: number): boolean {
    const now = this.steady();
    const looked = this.lookedAt !== null && now - this.lookedAt <= this.lengthMs / 2;
    if (!looked || mark !== this.mark) this.since = now;
    this.mark = mark;
    this.lookedAt = now;
    return beganAt - this.since >= this.lengthMs;
  }
}
