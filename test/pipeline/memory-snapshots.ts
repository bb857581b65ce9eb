import { ladderExcess, type SnapshotStore } from '#libs/saved-state/snapshot-store.js';

/** Snapshots that outlive the processes, thinned out as on disk; a fold may be killed between deciding and writing. */
export class MemorySnapshots implements SnapshotStore {
  readonly states = new Map<number, Uint8Array>();

  async list(): Promise<number[]> {
    return [...this.states.keys()].sort((a, b) => b - a);
  }

  async load(seq: number): Promise<Uint8Array | null> {
    return this.states.get(seq) ?? null;
  }

  async save(seq: number, state: Uint8Array): Promise<void> {
    this.states.set(seq, state);
    for (const excess of ladderExcess(await this.list(), 3)) this.states.delete(excess);
  }

  async dropFrom(seq: number): Promise<void> {
    for (const known of [...this.states.keys()]) if (known >= seq) this.states.delete(known);
  }

  async dropBelow(seq: number): Promise<void> {
    for (const known of [...this.states.keys()]) if (known < seq) this.states.delete(known);
  }
}
