import type { ChainSource, SourceObserver, SourceProgress } from '#libs/chain/chains/source-port.js';
import { duration } from '#libs/platform/duration.js';
import { NodeJournal } from './node-journal.js';
import { incompleteVariable, missingCapabilities, nodesVariable } from './node-problem.js';
import type { Publisher } from './publisher.js';
import type { SourceBuild, SourceLogger, SourceStatus } from './source-status.js';

const PROGRESS_LOG_INTERVAL_MS = 5_000;

type Position = Pick<SourceStatus, 'epoch' | 'seq' | 'head' | 'headHash' | 'headTime' | 'sealed' | 'finalized'>;

/** Collects what a source reports into one status, and passes it on to the injected observer and logger. */
export class SourceStatusBoard {
  readonly observer: SourceObserver;
  private publisher: Publisher | null = null;
  private source: ChainSource | null = null;
  private built: {
    publisher: Publisher | null;
    reason: string;
    /** Over once its head has moved. */
    problem: { kind: string; message: string; head: number | null } | null;
  } | null = null;
  /** The last trouble of the build that was logged: once a kind, until its head moves. */
  private buildTrouble: { kind: string; head: number | null } | null = null;
  private lastReorg: SourceStatus['lastReorg'] = null;
  private progressLoggedAt = Number.NEGATIVE_INFINITY;
  private readonly counts = {
    reorgs: 0,
    deepestReorg: 0,
    rpcErrors: 0,
    distrusted: 0,
    unproven: 0,
    gaps: 0,
    doubtful: 0,
    restarts: 0,
  };
  private gapsLogged = false;
  private readonly unknownReceiptTypes = new Set<string>();
  private lastDoubt: SourceStatus['lastDoubt'] = null;
  private state: SourceStatus['state'] = 'starting';
  private chainHead: number | null = null;
  private lag: number | null = null;
  private lastError: string | null = null;
  private progress: SourceStatus['progress'] = null;
  private last: Position = {
    ...{ epoch: null, seq: null, head: null, headHash: null, headTime: null, sealed: null, finalized: null },
  };

  constructor(
    private readonly chain: string,
    next: SourceObserver = {},
    private readonly logger?: SourceLogger,
  ) {
    const { counts } = this;
    const journal = new NodeJournal(chain, logger);
    this.observer = {
      ...pass(next),
      state: (state) => {
        if (state !== 'history') this.endProgress(state === 'head');
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
        // The head is still the one that goes.
        const fromBlock = (this.publisher?.head.height ?? depth - 1) - depth + 1;
        this.lastReorg = { time: Date.now(), depth, fromBlock };
        const fields = { chain, depth, belowSealed };
        if (belowSealed) logger?.warn(fields, 'the chain was reorganized below its sealed height');
        else logger?.info(fields, 'the chain was reorganized');
        next.reorg?.(depth, belowSealed);
      },
      rpcError: (kind, endpoint, message) => {
        counts.rpcErrors++;
        this.lastError = message;
        journal.failed(this.nodeOf(endpoint), kind, message);
        next.rpcError?.(kind, endpoint, message);
      },
      rpcRecovered: (endpoint) => {
        journal.recovered(this.nodeOf(endpoint));
        next.rpcRecovered?.(endpoint);
      },
      distrusted: (reason) => {
        counts.distrusted++;
        logger?.warn({ chain, reason }, 'a node contradicted itself; nothing of its answer was published');
        next.distrusted?.(reason);
      },
      unproven: (receiptType, confirmedBy) => {
        if (confirmedBy === 0) counts.unproven++;
        if (!this.unknownReceiptTypes.has(receiptType)) {
          this.unknownReceiptTypes.add(receiptType);
          const fields = { chain, receiptType, confirmedBy };
          logger?.warn(fields, `receipts of type ${receiptType} cannot be proven; other nodes are asked for the same`);
        }
        next.unproven?.(receiptType, confirmedBy);
      },
      gaps: (blocks, reason) => {
        counts.gaps += blocks;
        if (!this.gapsLogged)
          logger?.warn({ chain, reason }, 'a node left out logs; the blocks were read again in another way');
        this.gapsLogged = true;
        next.gaps?.(blocks, reason);
      },
      doubtful: (height, reason, taken) => {
        if (taken) counts.doubtful++;
        const said = this.lastDoubt?.height === height && this.lastDoubt.taken === taken;
        this.lastDoubt = { height, reason, taken };
        if (!said) {
          const variable = incompleteVariable(chain);
          const outcome = taken
            ? 'it was taken as it is'
            : `it is awaited; ${variable}=take takes such blocks as they are`;
          logger?.warn({ chain, height, reason }, `block ${height} is in doubt (${reason}): ${outcome}`);
        }
        next.doubtful?.(height, reason, taken);
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
        this.logProgress(progress);
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

  /** The source whose nodes are shown. */
  listen(source: ChainSource): void {
    this.source = source;
  }

  /** An epoch is wanted next to the served one; null: no more. */
  wantBuild(reason: string | null): void {
    this.built = reason === null ? null : { publisher: null, reason, problem: null };
    this.buildTrouble = null;
  }

  /** The publisher of that epoch, once its log is open. */
  watchBuild(publisher: Publisher): void {
    if (this.built !== null) this.built = { ...this.built, publisher };
  }

  buildFailed(kind: string, message: string): void {
    const head = this.built?.publisher?.head.height ?? null;
    if (this.built !== null) this.built.problem = { kind, message, head };
    const { buildTrouble } = this;
    if (buildTrouble?.kind === kind && buildTrouble.head === head) return;
    this.buildTrouble = { kind, head };
    this.logger?.warn({ chain: this.chain, error: message }, 'upgrade: the next epoch cannot be read on for now');
  }

  /** Its nodes answer again. */
  buildAdvanced(): void {
    if (this.built !== null) this.built.problem = null;
  }

  get building(): SourceBuild | null {
    if (this.built === null) return null;
    const { publisher, reason, problem } = this.built;
    const head = publisher?.head.height ?? null;
    const stands = problem !== null && problem.head === head;
    return { epoch: publisher?.epoch ?? null, reason, head, problem: stands ? pick(problem) : null };
  }

  failed(error: Error): void {
    this.lastError = error.message;
  }

  status(): SourceStatus {
    const { chain, state, chainHead, lag, lastError, lastDoubt, progress, building, lastReorg } = this;
    const nodes = this.source?.nodes?.() ?? [];
    const unknownReceiptTypes = [...this.unknownReceiptTypes];
    const counts = { ...this.counts, unknownReceiptTypes };
    return {
      chain,
      state,
      ...this.position(),
      chainHead,
      lag,
      ...counts,
      lastDoubt,
      lastReorg,
      lastError,
      progress,
      building,
      nodes,
      missing: missingCapabilities(nodes, nodesVariable(chain)),
    };
  }

  /** Place in the configuration of a node that answers questions. */
  private nodeOf(endpoint: number): number {
    const nodes = this.source?.nodes?.() ?? [];
    const places = nodes.flatMap(({ transport }, place) => (transport === 'http' ? [place] : []));
    return places[endpoint] ?? endpoint;
  }

  private logProgress(progress: SourceProgress): void {
    const now = performance.now();
    if (now - this.progressLoggedAt < PROGRESS_LOG_INTERVAL_MS) return;
    this.progressLoggedAt = now;
    this.logger?.info({ chain: this.chain }, progressSentence(progress));
  }

  private endProgress(reachedHead: boolean): void {
    if (this.progress !== null && reachedHead) {
      const { done } = this.progress;
      this.logger?.info(
        { chain: this.chain, blocks: done },
        'history: everything is read; following the head of the chain',
      );
    }
    this.progress = null;
    this.progressLoggedAt = Number.NEGATIVE_INFINITY;
  }

  private position(): Position {
    if (!this.publisher) return this.last;
    const { epoch, seq, head, sealedHeight: sealed, finalizedHeight: finalized } = this.publisher;
    return { epoch, seq, head: head.height, headHash: head.hash, headTime: head.time, sealed, finalized };
  }
}

const pick = ({ kind, message }: { kind: string; message: string }) => ({ kind, message });

/** The methods that go through untouched. */
function pass(next: SourceObserver): SourceObserver {
  return {
    head: (block, seq) => next.head?.(block, seq),
    appended: (groups, bytes) => next.appended?.(groups, bytes),
  };
}

/** `history: 43 %, 812 blocks/s, about 1 min 20 s left (block 18,000,123 of 18,200,000)` */
function progressSentence({ from, to, done, total, blocksPerSecond, etaSeconds }: SourceProgress): string {
  const percent = Math.floor((done / Math.max(total, 1)) * 100);
  const speed = Math.round(blocksPerSecond).toLocaleString('en-US');
  const left = etaSeconds === null ? '' : `, about ${duration(etaSeconds)} left`;
  const at = `block ${(from + done - 1).toLocaleString('en-US')} of ${to.toLocaleString('en-US')}`;
  return `history: ${percent} %, ${speed} blocks/s${left} (${at})`;
}
