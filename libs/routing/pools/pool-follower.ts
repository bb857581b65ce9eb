import { setTimeout as delay } from 'node:timers/promises';
import { LogBrokenError } from '#libs/core/errors.js';
import { readServedEpoch, type ServedEpoch, sameServed } from '#libs/pipeline/epochs/served-epoch.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { epochsTopic } from '#libs/protocol/topics.js';
import { BookSession, type FollowerLogger } from './book-session.js';
import type { BookHead, BookMemory, PoolBook } from './pool-book.js';

export interface PoolFollowerDeps {
  /** Slug of the chain. */
  chain: string;
  log: EventLog;
  logger?: FollowerLogger;
  /** How much of a book is in memory; all of it when absent. */
  memory?: BookMemory | undefined;
  /** How often the served epoch is looked at. */
  pollMs?: number;
}

/** The newest block in the book and how its source saw it. */
interface FollowedHead extends BookHead {
  source: 'stream' | 'http';
  /** When the source saw it, Unix ms; null while that was not read. */
  observedAt: number | null;
}

interface PoolFollowerStatus {
  chain: string;
  ready: boolean;
  epoch: number | null;
  foldVersion: number | null;
  seq: number | null;
  height: number | null;
  pools: number;
  /** Groups that a book in preparation still has to read; null when none is prepared or its copy is being read. */
  missing: number | null;
}

export interface PoolFollower {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
  /** Null until it caught up with the end that the log had when it began. Another book after a change of epoch. */
  book(): PoolBook | null;
  /** Null without a book, and while the book knows no block. */
  head(): FollowedHead | null;
  /**
   * Called after the book applied a group, in the same turn of the event loop. A change of the book itself (another
   * epoch) is not announced group by group: a caller that keeps data derived from a book compares the book. The
   * returned function ends it.
   */
  onGroup(listener: (facts: FactsGroup) => void): () => void;
  status(): PoolFollowerStatus;
}

export function createPoolFollower(deps: PoolFollowerDeps): PoolFollower {
  return new Follower(deps);
}

/**
 * Keeps the pools of the epoch that is served. A new epoch or fold version gets a book of its own, which is built next to
 * the one in use and replaces it in one turn. When the log fails, the book stays as it is and the read is tried again; when
 * the log is broken, the book is removed: no quote may come from it.
 */
class Follower implements PoolFollower {
  readonly name: string;
  private current: Running | null = null;
  private candidate: Running | null = null;
  private readonly listeners = new Set<(facts: FactsGroup) => void>();

  constructor(private readonly deps: PoolFollowerDeps) {
    this.name = `pools.${deps.chain}`;
  }

  book(): PoolBook | null {
    return this.current?.session.book ?? null;
  }

  head(): FollowedHead | null {
    const book = this.book();
    const head = book?.head ?? null;
    if (book === null || head === null || head.hash === '') return null;
    const seen = this.current!.session.source.at(book.seq);
    return { ...head, source: seen?.source === 'stream' ? 'stream' : 'http', observedAt: seen?.observedAt ?? null };
  }

  onGroup(listener: (facts: FactsGroup) => void): () => void {
    const own = (facts: FactsGroup): void => listener(facts);
    this.listeners.add(own);
    return () => void this.listeners.delete(own);
  }

  status(): PoolFollowerStatus {
    const book = this.book();
    const served = (this.current ?? this.candidate)?.session.served;
    return {
      chain: this.deps.chain,
      ready: book !== null,
      epoch: served?.epoch ?? null,
      foldVersion: served?.foldVersion ?? null,
      seq: book === null ? null : book.seq,
      height: book?.head?.height ?? null,
      pools: book?.size ?? 0,
      missing: this.candidate?.session.missing ?? null,
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log, chain, pollMs = 1_000 } = this.deps;
    const failed = new AbortController();
    const fail = (error: unknown): void => failed.abort(error);
    const both = AbortSignal.any([signal, failed.signal]);
    try {
      await log.ensureTopics([epochsTopic]);
      while (!both.aborted) {
        await this.look(log, chain, both, fail);
        await delay(this.current === null ? Math.min(pollMs, 200) : pollMs, undefined, { signal: both }).catch(
          () => undefined,
        );
      }
    } finally {
      failed.abort();
      const running = [this.current, this.candidate];
      this.current = null;
      this.candidate = null;
      await Promise.all(running.map((each) => each?.stop()));
    }
    if (!signal.aborted) throw failed.signal.reason;
  }

  /** One look at what is served: a book that is no longer needed is dropped, a missing one is started. */
  private async look(log: EventLog, chain: string, signal: AbortSignal, fail: (error: unknown) => void): Promise<void> {
    let served: ServedEpoch | null;
    try {
      served = await readServedEpoch(log, chain);
    } catch (error) {
      if (error instanceof LogBrokenError || this.current === null) throw error;
      this.deps.logger?.warn({ chain, err: error }, 'pools: the served epoch cannot be read, trying again');
      return;
    }
    if (served === null || signal.aborted) return;
    if (this.candidate !== null && !sameServed(this.candidate.session.served, served)) this.dropCandidate();
    if (this.candidate === null && !sameServed(this.current?.session.served ?? null, served)) {
      this.candidate = this.begin(served, signal, fail);
    }
  }

  private begin(served: ServedEpoch, signal: AbortSignal, fail: (error: unknown) => void): Running {
    const { chain, log, logger, memory } = this.deps;
    const session = new BookSession({
      ...{ chain, log, served, logger, memory },
      onReady: (ready) => this.adopt(ready),
      onGroup: (from, facts) => this.tell(from, facts),
    });
    return new Running(session, signal, fail);
  }

  private adopt(ready: BookSession): void {
    const { candidate, current } = this;
    if (candidate?.session !== ready) return;
    this.current = candidate;
    this.candidate = null;
    void current?.stop();
    const { chain, logger } = this.deps;
    const { served, book } = candidate.session;
    logger?.info({ chain, ...served, seq: book!.seq, pools: book!.size }, 'pools: serving this book');
  }

  private dropCandidate(): void {
    void this.candidate?.stop();
    this.candidate = null;
  }

  private tell(from: BookSession, facts: FactsGroup): void {
    if (from !== this.current?.session) return;
    for (const listener of this.listeners) {
      try {
        listener(facts);
      } catch (error) {
        const { chain, logger } = this.deps;
        logger?.error({ chain, seq: facts.seq, err: error }, 'pools: a listener failed');
      }
    }
  }
}

/** A session at work. */
class Running {
  private readonly end = new AbortController();
  private readonly ended: Promise<void>;

  constructor(
    readonly session: BookSession,
    outer: AbortSignal,
    fail: (error: unknown) => void,
  ) {
    const signal = AbortSignal.any([outer, this.end.signal]);
    this.ended = session.run(signal).catch((error: unknown) => {
      // An error of a session that was already given up is no failure.
      if (!signal.aborted) fail(error);
    });
  }

  stop(): Promise<void> {
    this.end.abort();
    return this.ended;
  }
}
