/**
 * How fast one connection's messages are read: a burst, then a steady rate. A connection that sends more is not refused
 * and not ended, it is read more slowly, as the protocol below it provides for.
 */
export class MessageAllowance {
  private left: number;
  private at: number;

  constructor(
    private readonly burst: number,
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.left = burst;
    this.at = now();
  }

  /** Counts one message; milliseconds to wait before the next one is read, 0 for none. */
  spend(): number {
    const at = this.now();
    this.left = Math.min(this.burst, this.left + ((at - this.at) * this.perSecond) / 1000);
    this.at = at;
    this.left--;
    return this.left >= 0 ? 0 : Math.ceil((-this.left * 1000) / this.perSecond);
  }
}
