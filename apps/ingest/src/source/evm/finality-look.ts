/**
 * What is known of the chain's own finality, and when to ask for it again: it moves in jumps on most chains (32 blocks on
 * Ethereum), so a quarter of the last jump has to be published first, or `mostMs` to pass, or another node to be asked.
 * Invariant: what is known is the last answer, and never above the head that came with it.
 */
export class FinalityLook {
  height: number | null = null;
  private jump = 0;
  private asked = { node: -1, published: 0, at: 0 };

  constructor(
    /** Seals are at least this many blocks apart. */
    private readonly stride: number,
    private readonly mostMs: number,
  ) {}

  isDue(node: number, published: number): boolean {
    const { asked } = this;
    const step = Math.max(this.stride, Math.floor(this.jump / 4));
    return node !== asked.node || published >= asked.published + step || performance.now() >= asked.at + this.mostMs;
  }

  /** The answer of a node with this head; null where it does not say. */
  answered(node: number, published: number, head: number, answer: number | null): void {
    this.asked = { node, published, at: performance.now() };
    const height = answer === null ? null : Math.min(answer, head);
    if (this.height !== null && height !== null && height > this.height) this.jump = height - this.height;
    this.height = height;
  }
}
