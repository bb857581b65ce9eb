/**
 * How many requests one endpoint gets at a time: additive increase while it answers, halved when it says it is too
 * much. A pause (Retry-After) holds everybody back, also those who already wait.
 */
export class ConcurrencyLimit {
  private running = 0;
  private successes = 0;
  private pausedUntil = 0;
  private readonly waiting: (() => void)[] = [];
  private timer: NodeJS.Timeout | null = null;
  private current: number;

  constructor(
    start: number,
    readonly max: number,
  ) {
    this.current = Math.min(start, max);
  }

  get limit(): number {
    return this.current;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    await this.enter();
    try {
      return await task();
    } finally {
      this.running--;
      this.wake();
    }
  }

  succeeded(): void {
    if (++this.successes < this.current * 2) return;
    this.successes = 0;
    if (this.current < this.max) this.current++;
  }

  tooMuch(pauseMs: number): void {
    this.successes = 0;
    this.current = Math.max(1, Math.floor(this.current / 2));
    this.pausedUntil = Math.max(this.pausedUntil, performance.now() + pauseMs);
  }

  private async enter(): Promise<void> {
    if (this.free()) {
      this.running++;
      return;
    }
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve);
      this.wake();
    });
  }

  private free(): boolean {
    return this.running < this.current && performance.now() >= this.pausedUntil;
  }

  private wake(): void {
    while (this.waiting.length > 0 && this.free()) {
      this.running++;
      this.waiting.shift()!();
    }
    const pause = this.pausedUntil - performance.now();
    if (this.waiting.length > 0 && pause > 0 && this.timer === null) {
      this.timer = setTimeout(() => {
        this.timer = null;
        this.wake();
      }, pause + 1);
    }
  }
}
