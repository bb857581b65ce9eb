// Room: the read model of a chain: tables up to the checkpoint, newer facts in memory. May import core, protocol,
// chain/amm, chain/chains, chain/market-ports, pipeline/event-log, pipeline/projections, pipeline/fold,
// pipeline/store, serve/contract.

import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { LogBrokenError, UndecodableError } from '#libs/core/errors.js';
import { noSteps, type Steps } from '#libs/core/steps.js';
import type { EventLog, SequencedRecord } from '#libs/pipeline/event-log/log.js';
import { decodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import { noSafeties, type TokenSafeties } from '#libs/pipeline/safety/safety-book.js';
import type { Checkpoint } from '#libs/pipeline/store/market/checkpoint.js';
import type { Pointer } from '#libs/pipeline/store/market/pointer.js';
import type { MarketReads } from '#libs/pipeline/store/market/reads.js';
import { factsTopic } from '#libs/protocol/topics.js';
import { type ChainView, type Pin, viewAt } from './chain-view.js';
import { type HotLimits, type HotUse, NO_USE } from './hot/hot-states.js';
import { Session } from './session.js';
import { sleep } from './sleep.js';
import { TailBroadcast } from './tail-broadcast.js';
import type { TailListener } from './tail-listener.js';
import { aboutsOf, noMetadata, type SaidAbouts, type TokenAbouts } from './token-about.js';
import { ChainUnavailableError } from './unavailable.js';

/** Where a reader finds what is served: the pointer of the chain and, per generation, its checkpoint and its rows. */
export interface MarketSource {
  pointer(): Promise<Pointer | null>;
  checkpoint(pointer: Pointer): Promise<Checkpoint | null>;
  reads(pointer: Pointer): MarketReads;
}

interface ReaderLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface ChainReaderDeps {
  chain: ChainSpec;
  log: EventLog;
  source: MarketSource;
  about?: SaidAbouts;
  /** What simulations found of its tokens. */
  safeties?: TokenSafeties;
  steps?: Steps;
  logger?: ReaderLogger;
  /** How often pointer and checkpoint are looked at without a call of `checkNow`. */
  pollMs?: number;
  /** Encoded bytes of facts that may wait above the checkpoint; past it the chain answers 503. */
  maxTailBytes?: number;
  /** Groups that stay in memory when the tables have them. */
  keepGroups?: number;
  /** What may be held of the tables. */
  hot?: HotLimits;
}

export interface ReaderStatus {
  chain: string;
  ready: boolean;
  /** Why it is not ready, as a sentence; null when it is. */
  reason: string | null;
  /** What is wrong although it answers; null when nothing is. */
  warning: string | null;
  epoch: number | null;
  generation: number | null;
  seq: number | null;
  checkpointSeq: number | null;
  height: number | null;
  tailGroups: number;
  tailBytes: number;
  /** What is held of the tables, and how often that was enough since the session began. */
  hot: HotUse;
}

/** How long pages of what was served before a switch can still be asked for. */
const KEEP_REPLACED_MS = 900_000;
const STARTING = 'it is starting';

/** Facts that are taken in one turn of the event loop: a few milliseconds. */
const TURN_BYTES = 256 * 1024;
/** The first pause after a failure, and between looks while there is nothing to serve. */
const RETRY_MS = 500;

/**
 * Follows one chain for REST and live: tables up to an adopted checkpoint, facts above it in memory. Every view
 * is taken in one turn of the event loop from one session, so that pointer, checkpoint and tail always fit together
 * (rules 20 and 21). It reads no record older than the checkpoint it starts from.
 */
export class ChainReader {
  readonly chain: ChainSpec;
  /** As a supervised stage it is called this. */
  readonly name: string;
  private readonly step: Steps;
  private readonly pollMs: number;
  private readonly maxTailBytes: number;
  private current: Session | null = null;
  private candidate: Session | null = null;
  /** What was served before the last switch: views that were pinned in it can still be read, it does not move on. */
  private replaced: { session: Session; until: number } | null = null;
  /** Why nothing can be served at all. */
  private trouble: string | null = STARTING;
  /** The last look at the tables failed: what was adopted before is still served. */
  private warning: string | null = null;
  private checkRequested = false;
  private wake: () => void = () => undefined;
  private readonly broadcast: TailBroadcast;
  readonly about: TokenAbouts;

  constructor(private readonly deps: ChainReaderDeps) {
    this.chain = deps.chain;
    this.about = aboutsOf(deps.about ?? noMetadata, deps.safeties ?? noSafeties);
    this.broadcast = new TailBroadcast(deps.chain.slug, deps.logger);
    this.name = `reader.${deps.chain.slug}`;
    this.step = deps.steps ?? noSteps;
    this.pollMs = deps.pollMs ?? RETRY_MS;
    this.maxTailBytes = deps.maxTailBytes ?? 64 * 1024 * 1024;
  }

  /**
   * Runs until the signal aborts. Failures of the infrastructure are retried for ever, with a pause; a log that is broken
   * or cannot be decoded is thrown: no answer may be read from it.
   */
  async run(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const stop = () => ended.abort();
    signal.addEventListener('abort', stop, { once: true });
    let fatal: unknown = null;
    let retry = this.retryMs;
    try {
      while (!signal.aborted && fatal === null) {
        let pause = this.pollMs;
        try {
          await this.poll(ended.signal, (error) => {
            fatal ??= error;
            this.checkNow();
          });
          this.warning = null;
          retry = this.retryMs;
          // What is being prepared may have to wait for what no writer notifies of.
          if (this.current === null || this.candidate !== null) pause = this.retryMs;
          this.updateAvailability();
        } catch (error) {
          if (signal.aborted) break;
          if (isFatal(error)) fatal ??= error;
          else {
            this.warning = 'its tables do not answer';
            if (this.current === null) this.trouble = this.warning;
            this.deps.logger?.warn(
              { chain: this.chain.slug, err: error },
              'reader: cannot look at the tables, trying again',
            );
            pause = retry = Math.min(retry * 2, 10_000);
          }
        }
        if (fatal === null && !this.checkRequested)
          await sleep(pause, signal, (wake) => {
            this.wake = wake;
          });
        this.checkRequested = false;
      }
      if (fatal !== null) {
        this.trouble = 'its log is broken; an operator has to look at it';
        this.current?.stop();
        this.current = null;
        this.broadcast.setAvailable(false);
        throw fatal;
      }
    } finally {
      signal.removeEventListener('abort', stop);
      ended.abort();
      await Promise.all([this.current?.stop(), this.candidate?.stop()]);
      this.candidate = null;
      if (fatal === null) {
        this.current = null;
        this.trouble = 'it is stopped';
        this.broadcast.setAvailable(false);
      }
    }
  }

  /** Looks at pointer and checkpoint now instead of at the next turn: a sink in the same process calls it. */
  checkNow(): void {
    this.checkRequested = true;
    this.wake();
  }

  /** Notifies a listener of what is served, beginning with now; the returned function ends it. */
  listen(listener: TailListener): () => void {
    return this.broadcast.add(listener, this.current);
  }

  /**
   * One consistent view: the newest, or the one that was pinned. Throws ChainUnavailableError when there is none now,
   * and StaleViewError when the pinned one can never be read again.
   */
  view(pin?: Pin): ChainView {
    const session = this.current;
    const obstacle = this.unavailableReason(session);
    if (session === null || obstacle !== null) throw new ChainUnavailableError(this.chain.slug, obstacle ?? STARTING);
    return viewAt(this.chain, pin === undefined ? session : this.sessionOf(pin, session), pin, this.about);
  }

  private sessionOf(pin: Pin, current: Session): Session {
    const { replaced } = this;
    if (current.holds(pin) || !replaced?.session.holds(pin)) return current;
    return performance.now() < replaced.until ? replaced.session : current;
  }

  /** Why a session cannot be answered from now; null when it can. */
  private unavailableReason(session: Session | null): string | null {
    if (session === null || this.trouble !== null) return this.trouble ?? STARTING;
    if (session.overfull) return 'its tables are too far behind its log';
    return session.purgedAhead ? 'this reader is behind its tables' : null;
  }

  /** Calls `onAvailable` of the listeners when views can be read again. */
  private updateAvailability(): void {
    const { current } = this;
    const answers = this.unavailableReason(current) === null && current?.tail.head.hash !== '';
    this.broadcast.setAvailable(answers);
  }

  status(): ReaderStatus {
    const { current } = this;
    let reason: string | null = null;
    try {
      this.view();
    } catch (error) {
      reason = (error as Error).message;
    }
    const state = current?.tail.stateAt();
    return {
      chain: this.chain.slug,
      ready: reason === null,
      reason,
      warning: this.warning,
      epoch: current?.pointer.epoch ?? null,
      generation: current?.pointer.generation ?? null,
      seq: state?.seq ?? null,
      checkpointSeq: current?.tail.checkpoint.seq ?? null,
      height: state?.head.height ?? null,
      tailGroups: current?.tail.length ?? 0,
      tailBytes: current?.tail.bytes ?? 0,
      hot: current?.hot.use ?? NO_USE,
    };
  }

  private get retryMs(): number {
    return Math.min(this.pollMs, RETRY_MS);
  }

  /** One look at what is served. Adopts, prepares a switch, switches. */
  private async poll(signal: AbortSignal, onFatal: (error: unknown) => void): Promise<void> {
    const pointer = await this.deps.source.pointer();
    if (pointer === null) return this.wait('it has no tables yet');
    const checkpoint = await this.deps.source.checkpoint(pointer);
    if (checkpoint === null) return this.wait('its tables are empty');
    await this.step('reader.adopt');
    if (signal.aborted) return;
    const { current } = this;
    let wanted = current === null || !current.serves(pointer);
    if (!wanted) {
      current!.see(checkpoint);
      wanted = current!.needsRebase;
      if (!wanted && this.candidate !== null) this.drop();
    }
    if (wanted) {
      if (this.candidate?.serves(pointer)) this.candidate.see(checkpoint);
      // A candidate may be overtaken by its tables as well.
      if (!this.candidate?.serves(pointer) || this.candidate.needsRebase) {
        this.prepare(pointer, checkpoint, signal, onFatal);
      }
    }
    this.switchOver();
  }

  private wait(reason: string): void {
    if (this.current === null) this.trouble = reason;
  }

  private drop(): void {
    void this.candidate?.stop();
    this.candidate = null;
  }

  private prepare(
    pointer: Pointer,
    checkpoint: Checkpoint,
    signal: AbortSignal,
    onFatal: (error: unknown) => void,
  ): void {
    this.drop();
    const session = new Session({
      pointer,
      checkpoint,
      reads: this.deps.source.reads(pointer),
      maxTailBytes: this.maxTailBytes,
      ...{ keepGroups: this.deps.keepGroups, hot: this.deps.hot },
    });
    this.candidate = session;
    const following = this.follow(session, signal).catch((error: unknown) => {
      if (!session.stopped && isFatal(error)) onFatal(error);
    });
    session.running(following);
  }

  /** Pointer, checkpoint, tail and reads change together, in this one turn (rule 21). */
  private switchOver(): void {
    const { candidate, current } = this;
    if (candidate === null || !candidate.ready) return;
    if (current !== null && isBehind(candidate, current)) return;
    if (current !== null && !current.serves(candidate.pointer)) {
      this.replaced = { session: current, until: performance.now() + KEEP_REPLACED_MS };
    }
    this.current = candidate;
    this.candidate = null;
    this.trouble = null;
    void current?.stop();
    this.broadcast.switchTo(current, candidate);
    this.updateAvailability();
    const { generation, epoch } = candidate.pointer;
    const seq = candidate.tail.position;
    this.deps.logger?.info({ chain: this.chain.slug, generation, epoch, seq }, 'reader: serving these tables');
  }

  /** Reads facts into a session until it is stopped; an interrupted log is read on from where the tail ends. */
  private async follow(session: Session, outer: AbortSignal): Promise<void> {
    const { log } = this.deps;
    const { epoch, foldVersion } = session.pointer;
    const topic = factsTopic(this.chain.slug, epoch, foldVersion);
    const signal = AbortSignal.any([outer, session.signal]);
    let pause = this.retryMs;
    while (!signal.aborted) {
      try {
        if (!session.ready) session.goal = (await log.lastGroup(topic))?.seq ?? -1;
        const options = { fromSeq: session.tail.position + 1, signal, maxBytes: TURN_BYTES };
        if (session.goal <= session.tail.position) this.reached(session);
        for await (const records of log.readGroups(topic, options)) {
          for (const record of records) await this.take(session, record, signal);
          pause = this.retryMs;
          if (signal.aborted) return;
          this.updateAvailability();
          if (session.goal <= session.tail.position) this.reached(session);
          await session.room();
        }
      } catch (error) {
        if (signal.aborted) return;
        if (isFatal(error)) throw error;
        this.deps.logger?.warn({ chain: this.chain.slug, err: error }, 'reader: the log does not answer, trying again');
        await sleep(pause, signal);
        pause = Math.min(pause * 2, 10_000);
      }
    }
  }

  private async take(session: Session, record: SequencedRecord, signal: AbortSignal): Promise<void> {
    await this.step('reader.group');
    if (signal.aborted) return;
    const facts = decodeFactsGroup(record.value);
    if (facts.seq !== record.seq || facts.chain !== this.chain.slug) {
      throw new LogBrokenError(`reader: record ${record.seq} holds seq ${facts.seq} of ${facts.chain}`);
    }
    const entry = session.tail.push(facts, record.value.byteLength);
    // Before listeners pin their views: one of tables that are left a moment later would be read from the store.
    session.applySeen();
    if (entry === null || session !== this.current) return;
    this.broadcast.append(entry);
    this.updateAvailability();
  }

  private reached(session: Session): void {
    session.ready = true;
    if (this.candidate === session) this.switchOver();
  }
}

/**
 * Readers never go back. Groups of one epoch have the same seq in all its facts; two epochs have only heights in common,
 * and a pointer that followed at once (seq -1) leads to a chain that may be anywhere.
 */
function isBehind(candidate: Session, current: Session): boolean {
  if (candidate.pointer.epoch === current.pointer.epoch) return candidate.tail.position < current.tail.position;
  return candidate.pointer.seq >= 0 && candidate.tail.head.height < current.tail.head.height;
}

const isFatal = (error: unknown): boolean => error instanceof LogBrokenError || error instanceof UndecodableError;

export function createChainReader(deps: ChainReaderDeps): ChainReader {
  return new ChainReader(deps);
}
