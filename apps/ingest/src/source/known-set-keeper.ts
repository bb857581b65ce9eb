import type { PublishedChain, SourceObserver } from '#libs/chains/source-port.js';
import { KnownSetFile, type LogMemory } from '#libs/saved-state/known-set-file.js';

const SAVE_EVERY_MS = 60_000;

/**
 * Brings the known set in step with the published chain at a start, and keeps its copy on disk young, so that a start
 * reads no group older than the copy. While a batch is built the set runs ahead of the log; it is only ever copied when
 * both are in step again.
 */
export class KnownSetKeeper<K extends LogMemory> {
  private readonly file: KnownSetFile;
  private savedAt = Number.NEGATIVE_INFINITY;
  private savedSeq = -1;
  private steady = false;

  constructor(
    dataDir: string,
    chain: string,
    private readonly observer: SourceObserver,
  ) {
    this.file = new KnownSetFile(dataDir, chain);
  }

  /** The set from the copy, where that describes this very log, and from the groups after it. */
  async load(create: () => K, published: PublishedChain, signal: AbortSignal): Promise<K> {
    this.steady = false;
    let known = create();
    const mark = await this.file.load(known);
    const usable = mark !== null && mark.epoch === published.epoch && mark.seq <= published.seq;
    const caughtUp = usable && (await this.catchUp(known, published, mark.seq, mark, signal));
    if (!caughtUp) {
      known = create();
      await this.catchUp(known, published, 0, null, signal);
    }
    this.savedAt = performance.now();
    this.savedSeq = caughtUp ? mark.seq : -1;
    this.steady = true;
    return known;
  }

  /** The set is about to run ahead of the log. */
  ahead(): void {
    this.steady = false;
  }

  /** What was built is published. */
  async inStep(published: PublishedChain, known: K): Promise<void> {
    this.steady = true;
    if (performance.now() - this.savedAt >= SAVE_EVERY_MS) await this.save(published, known);
  }

  async save(published: PublishedChain, known: K): Promise<void> {
    if (!this.steady || published.seq === this.savedSeq) return;
    this.savedAt = performance.now();
    const { epoch, seq, last } = published;
    try {
      await this.file.save({ epoch, seq, ...last }, known);
      this.savedSeq = seq;
    } catch (error) {
      this.observer.cacheFailed?.(error as Error);
    }
  }

  /** Applies the groups from `fromSeq` on. A marked first group is only compared: false when the log has another there. */
  private async catchUp(
    known: K,
    published: PublishedChain,
    fromSeq: number,
    mark: { kind: string; height: number; hash: string } | null,
    signal: AbortSignal,
  ): Promise<boolean> {
    for await (const group of published.groups(fromSeq, signal)) {
      if (mark !== null && group.seq === fromSeq) {
        const same = group.kind === mark.kind && group.height === mark.height && group.hash === mark.hash;
        if (!same) return false; // the log was restored, imported or reset since the copy was made
      } else {
        known.apply(group);
      }
    }
    return true;
  }
}
