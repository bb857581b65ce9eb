import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest work in one turn of the event loop, where nothing else is said. */
const BUDGET_MS = 4;
/** Items between two looks at the clock. */
const AT_ONCE = 32;

/** Work on many items that gives other work of the event loop its turn. */
export class TimeBudget {
  private started = performance.now();
  private items = 0;

  constructor(private readonly longestMs = BUDGET_MS) {}

  /** After each item. */
  isOver(): boolean {
    return ++this.items % AT_ONCE === 0 && this.isSpent();
  }

  isSpent(): boolean {
    return performance.now() - this.started > this.longestMs;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.begin();
  }

  begin(): void {
    this.started = performance.now();
  }
}

/** Work that comes in many parts, of which several may come in one turn: they share its time. */
export class SharedTimeBudget {
  private budget: TimeBudget | null = null;

  isOver(): boolean {
    this.budget ??= this.ofThisTurn();
    return this.budget.isOver();
  }

  async next(): Promise<void> {
    await nextTurn();
  }

  private ofThisTurn(): TimeBudget {
    setImmediate(() => {
      this.budget = null;
    });
    return new TimeBudget();
  }
}
