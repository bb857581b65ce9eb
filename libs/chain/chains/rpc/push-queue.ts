/**
 * From a callback to an async iteration. Holds at most so many items: what comes on top is dropped, and `overflow` is said
 * in its place once, so that the reader knows. One reader.
 */
export class PushQueue<T> {
  private items: T[] = [];
  private wake: (() => void) | null = null;
  private dropping = false;
  private ended = false;

  constructor(
    private readonly most: number,
    private readonly overflow: T,
  ) {}

  push(item: T): void {
    if (this.ended || this.dropping) return;
    this.dropping = this.items.length >= this.most;
    this.items.push(this.dropping ? this.overflow : item);
    this.wake?.();
  }

  end(): void {
    this.ended = true;
    this.wake?.();
  }

  /** Items as they come, until the queue or the signal ends it; what is left then is not given out. */
  async *read(signal: AbortSignal): AsyncGenerator<T, void, undefined> {
    const stop = (): void => this.wake?.();
    signal.addEventListener('abort', stop);
    try {
      while (!signal.aborted && !this.ended) {
        if (this.items.length === 0) {
          await new Promise<void>((resolve) => {
            this.wake = resolve;
          });
          this.wake = null;
          continue;
        }
        const taken = this.items;
        this.items = [];
        this.dropping = false;
        for (const item of taken) {
          if (signal.aborted || this.ended) return;
          yield item;
        }
      }
    } finally {
      signal.removeEventListener('abort', stop);
      this.end();
    }
  }
}
