type Listeners = Map<string, Set<() => void>>;

/** What changes in the tables of a chain, from those who write them to those in this process who would look later. */
export class Checkpoints {
  private readonly onCheckpoint: Listeners = new Map();
  private readonly onFlip: Listeners = new Map();

  /** The tables have a new checkpoint, or other tables are served. */
  onWritten(chain: string, listener: () => void): void {
    add(this.onCheckpoint, chain, listener);
  }

  /** Another generation of tables is served. */
  onFlipped(chain: string, listener: () => void): void {
    add(this.onFlip, chain, listener);
  }

  written(chain: string): void {
    for (const listener of this.onCheckpoint.get(chain) ?? []) listener();
  }

  flipped(chain: string): void {
    for (const listener of this.onFlip.get(chain) ?? []) listener();
    this.written(chain);
  }
}

function add(listeners: Listeners, chain: string, listener: () => void): void {
  listeners.set(chain, (listeners.get(chain) ?? new Set()).add(listener));
}
