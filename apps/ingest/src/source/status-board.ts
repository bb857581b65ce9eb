import type { SourceObserver } from '#libs/chains/source-port.js';
import type { Publisher } from './publisher.js';
import type { SourceLogger, SourceStatus } from './source-stage.js';

/** Collects what a source tells about itself into one status, and passes it on to the injected observer and logger. */
export class SourceStatusBoard {
  readonly observer: SourceObserver;
  private publisher: Publisher | null = null;
  private readonly counts = { reorgs: 0, deepestReorg: 0, rpcErrors: 0, distrusted: 0, restarts: 0 };
  private state: SourceStatus['state'] = 'starting';
  private chainHead: number | null = null;
  private lag: number | null = null;
  private lastError: string | null = null;
  private progress: SourceStatus['progress'] = null;
  private last: Pick<SourceStatus, 'epoch' | 'seq' | 'head' | 'headTime' | 'sealed' | 'finalized'> = {
    epoch: null,
    seq: null,
    head: null,
    headTime: null,
    sealed: null,
    finalized: null,
  };

  constructor(
    private readonly chain: string,
    next: SourceObserver = {},
    logger?: SourceLogger,
  ) {
    const { counts } = this;
    this.observer = {
      ...pass(next),
      state: (state) => {
        if (state !== 'history') this.progress = null;
        if (state !== this.state) {
          this.state = state;
          next.state?.(state);
        }
      },
      lag: (chainHead, blocks) => {
        this.chainHead = chainHead;
        this.lag = blocks;
        next.lag?.(chainHead, blocks);
      },
      reorg: (depth, belowSealed) => {
        counts.reorgs++;
        counts.deepestReorg = Math.max(counts.deepestReorg, depth);
        const fields = { chain, depth, belowSealed };
        if (belowSealed) logger?.warn(fields, 'the chain was reorganized below its sealed height');
        else logger?.info(fields, 'the chain was reorganized');
        next.reorg?.(depth, belowSealed);
      },
      rpcError: (kind, endpoint, message) => {
        counts.rpcErrors++;
        this.lastError = message;
        next.rpcError?.(kind, endpoint, message);
      },
      distrusted: (reason) => {
        counts.distrusted++;
        logger?.warn({ chain, reason }, 'a node contradicted itself; nothing of its answer was published');
        next.distrusted?.(reason);
      },
      restarted: (error) => {
        counts.restarts++;
        this.lastError = error.message;
        logger?.warn({ chain, error: error.message }, 'the source starts over from the log');
        next.restarted?.(error);
      },
      epoch: (epoch, reason) => {
        logger?.info({ chain, epoch, reason }, 'a new epoch of the chain begins');
        next.epoch?.(epoch, reason);
      },
      progress: (progress) => {
        this.progress = progress;
        next.progress?.(progress);
      },
      cacheFailed: (error) => {
        logger?.warn({ chain, error: error.message }, 'the copy of the known pools could not be written');
        next.cacheFailed?.(error);
      },
    };
  }

  /** The publisher whose position is shown; null keeps showing the last one. */
  watch(publisher: Publisher | null): void {
    this.last = this.position();
    this.publisher = publisher;
  }

  failed(error: Error): void {
    this.lastError = error.message;
  }

  status(): SourceStatus {
    const { chain, state, chainHead, lag, lastError, progress } = this;
    return { chain, state, ...this.position(), chainHead, lag, ...this.counts, lastError, progress };
  }

  private position(): SourceStatusBoard['last'] {
    if (!this.publisher) return this.last;
    const { epoch, seq, head, sealedHeight, finalizedHeight } = this.publisher;
    return {
      epoch,
      seq,
      head: head.height,
      headTime: head.time,
      sealed: sealedHeight,
      finalized: finalizedHeight,
    };
  }
}

/** The methods that go through untouched. */
function pass(next: SourceObserver): SourceObserver {
  return {
    head: (block, seq) => next.head?.(block, seq),
    appended: (groups, bytes) => next.appended?.(groups, bytes),
  };
}
