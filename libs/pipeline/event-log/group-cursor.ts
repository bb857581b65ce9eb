import { LogBrokenError } from '#libs/core/errors.js';

/** Position of a reader of a sequenced topic: takes each seq once and in order, ignores a repeat, refuses a gap. */
export class GroupCursor {
  next: number;

  constructor(
    private readonly topic: string,
    fromSeq: number,
  ) {
    this.next = fromSeq;
  }

  /** True when the group is the next one, false when it was delivered before. */
  accept(seq: number): boolean {
    if (seq < this.next) return false;
    if (seq > this.next) {
      throw new LogBrokenError(`${this.topic}: group ${this.next} is missing, the next one found is ${seq}`);
    }
    this.next = seq + 1;
    return true;
  }
}
