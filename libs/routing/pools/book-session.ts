import { setTimeout as delay } from 'node:timers/promises';
import { LogBrokenError, UndecodableError } from '#libs/core/errors.js';
import type { ServedEpoch } from '#libs/pipeline/epochs/served-epoch.js';
import type { EventLog, SequencedRecord } from '#libs/pipeline/event-log/log.js';
import { decodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { blocksTopic, factsTopic, poolsTopic, type TopicSpec } from '#libs/protocol/topics.js';
import { HeadSource } from './head-source.js';
import { loadPoolCopy } from './load-copy.js';
import { type BookMemory, PoolBook } from './pool-book.js';

export interface FollowerLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface BookSessionDeps {
  chain: string;
  log: EventLog;
  served: ServedEpoch;
  logger?: FollowerLogger | undefined;
  memory?: BookMemory | undefined;
  /** The book may be looked at from this turn on. */
  onReady: (session: BookSession) => void;
  /** The book took a group over. */
  onGroup: (session: BookSession, facts: FactsGroup) => void;
}

/** Facts taken over in one turn of the event loop. */
const BATCH_BYTES = 256 * 1024;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/**
 * One book and the facts it follows, from the copy of the pools on. Invariant: `ready` only while the book holds one
 * block of the chain, at or above the end that facts had when the copy was read. A read that the log refuses for now is
 * tried again; a broken log ends the session.
 */
export class BookSession {
  ready = false;
  /** How the source saw the newest blocks. */
  readonly source: HeadSource;
  private loaded: PoolBook | null = null;
  private goal = Number.POSITIVE_INFINITY;
  private broken = false;
  private readonly facts: TopicSpec;
  private readonly pools: TopicSpec;

  constructor(private readonly deps: BookSessionDeps) {
    const { chain, log, served } = deps;
    this.facts = factsTopic(chain, served.epoch, served.foldVersion);
    this.pools = poolsTopic(chain, served.epoch, served.foldVersion);
    this.source = new HeadSource(log, blocksTopic(chain, served.epoch));
  }

  get served(): ServedEpoch {
    return this.deps.served;
  }

  /** Null before the copy was read; half-read before `ready`. */
  get book(): PoolBook | null {
    return this.loaded;
  }

  /** Groups that it still has to read before it is ready; null before the copy was read. */
  get missing(): number | null {
    return this.loaded === null ? null : Math.max(0, this.goal - this.loaded.seq);
  }

  async run(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const both = AbortSignal.any([signal, ended.signal]);
    let watching: Promise<void> | null = null;
    let pause = FIRST_PAUSE_MS;
    try {
      while (!signal.aborted) {
        try {
          const book = await this.load(signal);
          watching ??= this.source.run(() => Math.max(book.seq, this.goal), both);
          this.noteReady(book);
          const from = { fromSeq: book.seq + 1, signal, maxBytes: BATCH_BYTES };
          for await (const batch of this.deps.log.readGroups(this.facts, from)) {
            for (const record of batch) this.take(book, record);
            this.noteReady(book);
            await book.settle();
            pause = FIRST_PAUSE_MS;
            if (signal.aborted) return;
          }
        } catch (error) {
          if (signal.aborted) return;
          if (this.broken || isFatal(error)) throw error;
          const { chain, logger } = this.deps;
          logger?.warn({ chain, err: error }, 'pools: the log does not give them now, trying again');
          await delay(pause, undefined, { signal }).catch(() => undefined);
          pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
        }
      }
    } finally {
      ended.abort();
      await watching;
      await this.loaded?.close();
    }
  }

  private async load(signal: AbortSignal): Promise<PoolBook> {
    if (this.loaded !== null) return this.loaded;
    const { facts, pools } = this;
    await this.deps.log.ensureTopics([facts, pools]);
    const { book, goal } = await loadPoolCopy(
      this.deps.log,
      { facts, pools },
      () => new PoolBook(this.deps.memory),
      signal,
    );
    this.goal = goal;
    this.loaded = book;
    return book;
  }

  private noteReady(book: PoolBook): void {
    if (this.ready || book.seq < this.goal) return;
    this.ready = true;
    this.deps.onReady(this);
  }

  /** A group that was applied only in part leaves a book that must not be used. */
  private take(book: PoolBook, record: SequencedRecord): void {
    try {
      const facts = decodeFactsGroup(record.value);
      if (facts.seq !== record.seq || facts.chain !== this.deps.chain || facts.epoch !== this.served.epoch) {
        throw new LogBrokenError(
          `${this.facts.name}: record ${record.seq} holds ${facts.chain} e${facts.epoch} seq ${facts.seq}`,
        );
      }
      if (book.apply(facts)) this.deps.onGroup(this, facts);
    } catch (error) {
      this.broken = true;
      throw error;
    }
  }
}

const isFatal = (error: unknown): boolean => error instanceof LogBrokenError || error instanceof UndecodableError;
