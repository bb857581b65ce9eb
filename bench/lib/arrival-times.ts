/**
 * How long many frames took, as counts: so many of each tenth of a millisecond. Small enough to be sent between processes however
 * many frames there were.
 */
export class ArrivalTimes {
  /** By tenths of a millisecond. */
  readonly tenths: number[] = [];
  count = 0;

  add(ms: number, times = 1): void {
    const tenth = Math.max(0, Math.floor(ms * 10));
    while (this.tenths.length <= tenth) this.tenths.push(0);
    this.tenths[tenth]! += times;
    this.count += times;
  }

  static of(all: readonly (readonly number[])[]): ArrivalTimes {
    const sum = new ArrivalTimes();
    for (const tenths of all)
      for (const [at, times] of tenths.entries()) if (times > 0) sum.add((at + 0.5) / 10, times);
    return sum;
  }

  /** Milliseconds below which a share of them is. */
  share(part: number): number {
    let left = part * this.count;
    let at = 0;
    for (; at < this.tenths.length - 1 && left > this.tenths[at]!; at++) left -= this.tenths[at]!;
    return (at + 1) / 10;
  }
}
