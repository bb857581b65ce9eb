export interface OrderedPrefetchOptions<T> {
  /** Pieces asked for at the same time. */
  parallel: number;
  /** Weight that may wait, fetched but not taken, over all pieces; a piece that is not there yet counts as expected. */
  maxWaiting: number;
  expected: () => number;
  weigh: (piece: T) => number;
  /** Starts on the next piece; null at the end. */
  next: () => Promise<T> | null;
}

interface Slot<T> {
  readonly promise: Promise<T>;
  /** Set when fetched. */
  piece: { readonly value: T; readonly weight: number } | null;
}

/**
 * Fetches pieces in parallel and hands them out in the order in which they were asked for. What waits is bounded. The
 * failure of a piece is thrown where the piece is taken.
 */
export class OrderedPrefetch<T> {
  private readonly slots: Slot<T>[] = [];

  constructor(private readonly options: OrderedPrefetchOptions<T>) {}

  /** The next piece in order, or null at the end. */
  async take(): Promise<T | null> {
    this.fill();
    const slot = this.slots.shift();
    if (!slot) return null;
    const piece = await slot.promise;
    this.fill();
    return piece;
  }

  /** Whether the next piece can be taken without waiting. */
  get ready(): boolean {
    return (this.slots[0]?.piece ?? null) !== null;
  }

  private fill(): void {
    const { parallel, maxWaiting, expected, weigh, next } = this.options;
    for (;;) {
      const waiting = this.slots.reduce((sum, slot) => sum + (slot.piece?.weight ?? expected()), 0);
      if (this.slots.length >= parallel || (this.slots.length > 0 && waiting >= maxWaiting)) return;
      const promise = next();
      if (promise === null) return;
      const slot: Slot<T> = { promise, piece: null };
      promise.then(
        (value) => {
          slot.piece = { value, weight: weigh(value) };
        },
        () => undefined, // until the slot is taken it is not unhandled
      );
      this.slots.push(slot);
    }
  }
}
