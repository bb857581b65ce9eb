import { emptyHeapDisk, type HeapDisk, HeapStore } from '#libs/pipeline/state/heap-store.js';
import { KeyedState, type KeyedStateOptions } from '#libs/pipeline/state/keyed-state.js';
import type { SealedStore } from '#libs/pipeline/state/sealed-store.js';
import type { Space } from '#libs/pipeline/state/space.js';
import type { KeptState, StateHome } from '#libs/pipeline/state/state-home.js';

/**
 * A home in the heap. Each opening continues on a disk of its own: an older opening that was not ended
 * writes where no reader looks any more.
 */
export class HeapHome implements StateHome {
  disk: HeapDisk = emptyHeapDisk();
  private next: HeapDisk = emptyHeapDisk();

  constructor(
    private readonly spaces: readonly Space<never>[],
    private readonly wrap: (store: SealedStore, disk: HeapDisk) => SealedStore = (store) => store,
  ) {}

  async open(options: KeyedStateOptions = {}): Promise<KeyedState> {
    const { values, position, undo } = this.disk;
    this.disk = { values: values.map((space) => new Map(space)), position, undo: [...undo] };
    return this.stateOn(this.disk, options);
  }

  async openNext(options: KeyedStateOptions = {}): Promise<KeyedState> {
    this.next = emptyHeapDisk();
    return this.stateOn(this.next, options);
  }

  async promote(current: KeyedState, next: KeyedState): Promise<void> {
    await current.close();
    await next.close();
    this.disk = this.next;
  }

  async kept(): Promise<KeptState> {
    const store = new HeapStore(this.disk, this.spaces.length);
    return { committed: store.position, points: store.points() };
  }

  async remove(): Promise<void> {
    this.disk = emptyHeapDisk();
  }

  private stateOn(disk: HeapDisk, options: KeyedStateOptions): KeyedState {
    return new KeyedState(this.spaces, this.wrap(new HeapStore(disk, this.spaces.length), disk), options);
  }
}
