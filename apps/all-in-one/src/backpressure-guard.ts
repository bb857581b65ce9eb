/** A local chain, whose node drops old blocks. */
export interface PausableChain {
  /** Lowest block that the node had when it started. */
  readonly oldestHeight: number;
  /** Newest blocks that it keeps, over restarts too. */
  readonly keptBlocks: number;
  headHeight(): Promise<number>;
  pause(): Promise<void>;
  resume(): void | Promise<void>;
}

const LOOK_EVERY_MS = 5_000;
/** More blocks than a chain makes between two looks. */
const MARGIN = 64;

/**
 * A local chain waits for its reader. Invariant: no block is dropped by the node before it was read and sealed, however
 * long the reader is stopped (no space on the disk, a stage that stopped).
 */
export class BackpressureGuard {
  private held = false;
  private looking = false;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly chain: PausableChain,
    private readonly sealed: () => number | null,
    private readonly onChange: (held: boolean) => void = () => undefined,
  ) {
    this.timer = setInterval(() => void this.look(), LOOK_EVERY_MS);
    this.timer.unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  async look(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    try {
      const { chain } = this;
      const head = await chain.headHeight();
      const unread = head - Math.max(chain.oldestHeight, this.sealed() ?? 0);
      const hold = unread > chain.keptBlocks - MARGIN;
      if (hold === this.held) return;
      await (hold ? chain.pause() : chain.resume());
      this.held = hold;
      this.onChange(hold);
    } catch {
      // A node that does not answer makes no block either; its end is reported by the chain itself.
    } finally {
      this.looking = false;
    }
  }
}
