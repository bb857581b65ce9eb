import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest work in one turn of the event loop. */
const SLICE_MS = 4;
/** Keys between two looks at the clock. */
const SLICE_KEYS = 64;

/** Work that gives other work of the event loop its turn. */
export class Slice {
  private started = performance.now();
  private keys = 0;

  isOver(): boolean {
    return ++this.keys % SLICE_KEYS === 0 && this.isSpent();
  }

  isSpent(): boolean {
    return performance.now() - this.started > SLICE_MS;
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
