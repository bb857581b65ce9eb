/** Where a swap through ticks is after some steps, and what it took and gave on the way. */
export interface WalkMark<Fee> {
  /** Input with a fee that is taken from it. */
  readonly paid: bigint;
  /** Output less a fee that is taken from it. */
  readonly given: bigint;
  readonly fees: bigint;
  readonly steps: number;
  /** Of the next stop in the path. */
  readonly place: number;
  readonly sqrtPrice: bigint;
  readonly liquidity: bigint;
  readonly fee: Fee;
}

/** Steps from mark to mark, and most marks: what a swap walks again, against what a pool keeps. */
const SPACING = 4;
const MOST_MARKS = 128;

/**
 * Marks on the way of the swaps of one direction through one state of a pool: a later swap begins at the last mark that it comes
 * past. Invariant: a mark is after steps that went as far as their rate or range holds, with something left over. Such steps take
 * and give the same for every input above `paid` and for every output above `given`: what is left over pays for them whole, however
 * their amounts and fees are rounded. So a swap comes past those marks, and no other, whose sum is below its amount.
 */
export class WalkMarks<Fee extends { copy(): Fee }> {
  private readonly marks: WalkMark<Fee>[] = [];
  private ended = false;

  /** The last mark that a swap of this amount comes past; null before the first one. Its fee is a copy. */
  before(amount: bigint, exactIn: boolean): WalkMark<Fee> | null {
    const { marks } = this;
    let [low, high] = [-1, marks.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      const { paid, given } = marks[middle]!;
      if ((exactIn ? paid : given) < amount) low = middle;
      else high = middle;
    }
    if (low < 0) return null;
    const mark = marks[low]!;
    return { ...mark, fee: mark.fee.copy() };
  }

  /** Whether a mark after so many steps would be a new one. */
  wants(steps: number): boolean {
    const { marks } = this;
    if (this.ended || steps % SPACING !== 0 || marks.length === MOST_MARKS) return false;
    return steps > (marks.at(-1)?.steps ?? 0);
  }

  add(mark: WalkMark<Fee>): void {
    this.marks.push({ ...mark, fee: mark.fee.copy() });
  }

  /** From here on not all swaps take the same steps. */
  end(): void {
    this.ended = true;
  }
}
