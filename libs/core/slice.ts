import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest work in one turn of the event loop, where nothing else is said. */
const SLICE_MS = 4;
/** Items between two looks at the clock. */
const AT_ONCE = 32;

/** Work on many items that gives other work of the event loop its turn. */
export class Slice {
  private started = performance.now();
  private items = 0;

  constructor(private readonly longestMs = SLICE_MS) {}

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
export class SharedSlice {
  private slice: Slice | null = null;

  isOver(): boolean {
    this.slice ??= this.ofThisTurn();
    return this.slice.isOver();
  }

  async next(): Promise<void> {
    await nextTurn();
  }

  private ofThisTurn(): Slice {
    setImmediate(() => {
      this.slice = null;
    });
    return new Slice();
  }
}
