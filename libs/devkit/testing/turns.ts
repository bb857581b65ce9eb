/** Counts turns of the event loop until `end` is called. */
export class Turns {
  now = 0;
  private timer = setImmediate(() => this.count());

  private count(): void {
    this.now++;
    this.timer = setImmediate(() => this.count());
  }

  end(): void {
    clearImmediate(this.timer);
  }
}

/** Keeps the event loop for so long. */
export function spend(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}
