const QUICKEST_MS = 20;
const SLOWEST_MS = 1_000;

/**
 * How long a reader that waits at the end of a topic leaves between two looks of its own. They find what other processes append;
 * appends of this one wake it at once, in any thread. Twice as long after each look, and short again once a look found what nothing
 * here had announced: other processes append then.
 */
export class PollPace {
  private next = QUICKEST_MS / 2;

  get ms(): number {
    return this.next;
  }

  /** `announced`: this process appended since the look before. */
  looked(found: boolean, announced: boolean): void {
    this.next = found && !announced ? QUICKEST_MS / 2 : Math.min(this.next * 2, SLOWEST_MS);
  }
}
