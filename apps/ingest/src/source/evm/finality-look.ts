/**
 * What is known of the chain's own finality, and when to ask for it again: it moves in jumps on most chains (32 blocks on
 * Ethereum), so a quarter of the last jump has to be published first, or `mostMs` to pass. Invariant: what is known never falls.
 */
export class FinalityLook {
  height: number | null = null;
  private jump = 0;
  private askedAt = Number.NEGATIVE_INFINITY;
  private askedTime = Number.NEGATIVE_INFINITY;

  constructor(
    /** Seals are at least this many blocks apart. */
    private readonly stride: number,
    private readonly mostMs: number,
  ) {}

  isDue(published: number): boolean {
    const step = Math.max(this.stride, Math.floor(this.jump / 4));
    return published >= this.askedAt + step || performance.now() >= this.askedTime + this.mostMs;
  }

  /** The answer of a node; null where it does not say. */
  answered(published: number, height: number | null): void {
    this.askedAt = published;
    this.askedTime = performance.now();
    if (height === null || (this.height !== null && height <= this.height)) return;
    this.jump = this.height === null ? 0 : height - this.height;
    this.height = height;
  }
}
