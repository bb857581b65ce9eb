/** Tells readers in this process that the tables of a chain have a new checkpoint, before they would look by themselves. */
export class Checkpoints {
  private readonly listeners = new Map<string, Set<() => void>>();

  onWritten(chain: string, listener: () => void): void {
    const known = this.listeners.get(chain) ?? new Set();
    this.listeners.set(chain, known.add(listener));
  }

  written(chain: string): void {
    for (const listener of this.listeners.get(chain) ?? []) listener();
  }
}
