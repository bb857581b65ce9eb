import type { GroupMark, PublishedChain, SourceObserver } from '#libs/chain/chains/source-port.js';
import { KnownSetFile, type LogMemory } from '#libs/pipeline/state/saved/known-set-file.js';
import { type KnownStore, knownStoreDir, openKnownStore } from '#libs/pipeline/state/saved/known-store.js';

const COMMIT_EVERY_MS = 60_000;
/** Ids come in no order, so a commit of few writes nearly as many pages as one of many. */
const COMMIT_CHANGES = 20_000;

/** The part of a published chain that a known set is brought forward with. */
export type PublishedGroups = Pick<PublishedChain, 'epoch' | 'seq' | 'last' | 'groups'>;

/**
 * Brings the known set in step with the published chain at a start, and takes its changes to disk, so that a start reads no
 * group older than the last commit. While a batch is built the set runs ahead of the log; it is only ever committed when
 * both are in step again.
 */
export class KnownSetKeeper<K extends LogMemory> {
  private readonly dir: string;
  private readonly oldCopy: KnownSetFile;
  private store: KnownStore | null = null;
  private committedAt = Number.NEGATIVE_INFINITY;
  private committedSeq = -1;
  private steady = false;
  private failed = false;

  constructor(
    dataDir: string,
    chain: string,
    private readonly observer: SourceObserver,
    private readonly create: (store: KnownStore) => K,
  ) {
    this.dir = knownStoreDir(dataDir, chain);
    this.oldCopy = new KnownSetFile(dataDir, chain);
  }

  /**
   * The set as the store has it, where that describes this very log, brought forward by the groups after it. Else from the
   * copy that programs before the store wrote, else from the log alone.
   */
  async loadKnown(published: PublishedGroups, signal: AbortSignal): Promise<K> {
    this.steady = false;
    this.committedAt = performance.now();
    this.store ??= openKnownStore(this.dir);
    const { store } = this;
    store.discard();
    let known = this.create(store);
    if (!(await this.bringForward(known, store.mark, published, signal))) {
      known = this.begin(store);
      const copied = await this.oldCopy.load(known);
      if (!(await this.bringForward(known, copied, published, signal))) {
        known = this.begin(store);
        await this.catchUp(known, published, 0, null, signal);
      }
    }
    this.committedSeq = store.mark?.seq ?? -1;
    this.steady = true;
    return known;
  }

  /** The set is about to run ahead of the log. */
  ahead(): void {
    this.steady = false;
  }

  /** What was built is published. */
  async inStep(published: PublishedChain): Promise<void> {
    this.steady = true;
    if (this.isDue()) await this.save(published);
  }

  async save(published: Pick<PublishedChain, 'epoch' | 'seq' | 'last'>): Promise<void> {
    if (!this.steady || published.seq === this.committedSeq) return;
    await this.commit(published.epoch, published.seq, published.last);
  }

  /** The next load opens it again. */
  async close(): Promise<void> {
    const { store } = this;
    this.store = null;
    await store?.close();
  }

  /** After a failure it waits: each try would fail for the same reason. */
  private isDue(): boolean {
    if (performance.now() - this.committedAt >= COMMIT_EVERY_MS) return true;
    return !this.failed && this.store!.pending >= COMMIT_CHANGES;
  }

  private begin(store: KnownStore): K {
    store.clear();
    return this.create(store);
  }

  private async commit(epoch: number, seq: number, { kind, height, hash }: GroupMark): Promise<void> {
    this.committedAt = performance.now();
    try {
      await this.store!.commit({ epoch, seq, kind, height, hash });
      this.committedSeq = seq;
      this.failed = false;
    } catch (error) {
      this.failed = true;
      this.observer.cacheFailed?.(error as Error);
    }
  }

  /** False when what the mark says is not of this log, or the log no longer has what comes after it. */
  private async bringForward(
    known: K,
    mark: (GroupMark & { epoch: number; seq: number }) | null,
    published: PublishedGroups,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (mark === null || mark.epoch !== published.epoch || mark.seq > published.seq) return false;
    return this.catchUp(known, published, mark.seq, mark, signal);
  }

  /** Applies the groups from `fromSeq` on. A marked first group is only compared: false when the log has another there. */
  private async catchUp(
    known: K,
    published: PublishedGroups,
    fromSeq: number,
    mark: GroupMark | null,
    signal: AbortSignal,
  ): Promise<boolean> {
    let first = true;
    for await (const group of published.groups(fromSeq, signal)) {
      if (first && mark !== null) {
        const same = group.kind === mark.kind && group.height === mark.height && group.hash === mark.hash;
        // The log was restored, imported, reset or cut off since.
        if (group.seq !== fromSeq || !same) return false;
      } else {
        known.apply(group);
        if (this.isDue()) await this.commit(group.epoch, group.seq, group);
      }
      first = false;
    }
    return true;
  }
}
