import { randomUUID } from 'node:crypto';
import { TidepoolError } from '#libs/core/errors.js';
import type { EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';
import { pause } from '#libs/platform/backoff.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import { leaseTopic } from '#libs/protocol/topics.js';
import type { ChainLease, LeaseStatus, Tenure } from './chain-lease.js';
import { guardedLog } from './guarded-log.js';
import { LeaseReader } from './lease-reader.js';
import { type LeaseHolder, type LeaseRecord, leaseAppend } from './lease-record.js';
import { Silence } from './silence.js';

interface LeaseLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface KeptLeaseDeps {
  log: EventLog;
  chain: string;
  own: LeaseHolder;
  /** How long a holder may be silent before it is taken for lost. */
  leaseMs: number;
  logger: LeaseLogger;
  /** Wall-clock time, shown to people. */
  now?: () => number;
  /** Milliseconds on a clock that never steps: whatever is decided here is decided by it. */
  steady?: () => number;
  /** Waits so long on that clock, or until the signal aborts. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A holder speaks so many times in the length of a lease, and a standby looks so many times. */
const RENEWALS = 4;
const LOOKS = 12;

class HeldTenure implements Tenure {
  readonly term = randomUUID();
  readonly work = new Set<Promise<unknown>>();
  renewal = 0;
  /** Why it ended; null while it lasts. */
  ended: string | null = null;
  private readonly end = new AbortController();

  constructor(
    public writer: LogWriter,
    /** On the steady clock: when the newest proof of the lease was begun. */
    public provenAt: number,
  ) {}

  get signal(): AbortSignal {
    return this.end.signal;
  }

  finish(why: string): void {
    this.ended ??= why;
    this.end.abort();
  }
}

/**
 * The lease of a chain over a log that several processes share. The holder is who opened the lease's writer last: the log itself
 * refuses every other. It says so again and again; a standby that heard nothing new for the length of the lease takes over by
 * opening that writer, says so, and only then opens the writers of the stages.
 * Invariant: who lost the lease, or could not prove it for its length, ends the stages and becomes a standby; it never opens a
 * writer of the chain again before it has seen the holder silent.
 */
export class KeptLease implements ChainLease, SupervisedStage {
  readonly name: string;
  private current: HeldTenure | null = null;
  private readonly waiting = new Set<(tenure: Tenure) => void>();
  private readonly reader: LeaseReader;
  private readonly now: () => number;
  private readonly steady: () => number;
  private readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  private since: number;
  private heard: { record: LeaseRecord; at: number; steady: number } | null = null;
  private fenced = false;
  private lost: string | null = null;
  private problem: string | null = null;
  private turns: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: KeptLeaseDeps) {
    this.name = `lease.${deps.chain}`;
    this.reader = new LeaseReader(deps.log, deps.chain);
    this.now = deps.now ?? Date.now;
    this.steady = deps.steady ?? (() => performance.now());
    this.pause = deps.pause ?? pause;
    this.since = this.now();
  }

  get tenure(): Tenure | null {
    return this.current?.signal.aborted ? null : this.current;
  }

  held(signal: AbortSignal): Promise<Tenure | null> {
    if (signal.aborted) return Promise.resolve(null);
    if (this.tenure !== null) return Promise.resolve(this.tenure);
    return new Promise((resolve) => {
      const settle = (tenure: Tenure | null): void => {
        this.waiting.delete(settle);
        signal.removeEventListener('abort', stop);
        resolve(tenure);
      };
      const stop = (): void => settle(null);
      this.waiting.add(settle);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  async confirm(tenure: Tenure): Promise<boolean> {
    const held = this.current;
    if (held === null || held !== tenure) return false;
    return this.renewInTurn(held);
  }

  during<T>(tenure: Tenure, work: Promise<T>): Promise<T> {
    if (!(tenure instanceof HeldTenure)) return work;
    tenure.work.add(work);
    return work.finally(() => tenure.work.delete(work));
  }

  guard(log: EventLog): EventLog {
    return guardedLog(log, this.deps.chain, () => this.tenure?.term ?? null);
  }

  status(): LeaseStatus {
    const { current, heard, since, lost, problem } = this;
    const shared = { since, leaseMs: this.deps.leaseMs, lost, problem };
    if (current !== null) {
      const heardAgoMs = Math.round(this.steady() - current.provenAt);
      return { role: 'active', ...shared, holder: this.deps.own, heardAt: this.now() - heardAgoMs, heardAgoMs };
    }
    const heardAgoMs = heard === null ? null : Math.round(this.steady() - heard.steady);
    const holder = heard === null || heard.record.released ? null : heard.record.holder;
    return { role: 'standby', ...shared, holder, heardAt: heard?.at ?? null, heardAgoMs };
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.deps.log.ensureTopics([leaseTopic(this.deps.chain)]);
    while (!signal.aborted) {
      if (!(await this.standBy(signal))) return;
      const held = await this.takeOver();
      if (held === null) await this.pause(this.deps.leaseMs / LOOKS, signal);
      else await this.hold(held, signal);
    }
  }

  /** Follows the holder. True when its place may be taken; false when the signal aborts. */
  private async standBy(signal: AbortSignal): Promise<boolean> {
    const { leaseMs } = this.deps;
    const silence = new Silence(leaseMs, this.steady);
    let told = '';
    while (!signal.aborted) {
      const beganAt = this.steady();
      try {
        const newest = await this.reader.newest();
        this.problem = null;
        if (newest === null) return true;
        this.hear(newest);
        const { released, term, renewal, holder } = newest;
        if (released || this.isOwnPast(newest) || silence.found(`${term} ${renewal}`, beganAt)) return true;
        if (told !== term) {
          this.deps.logger.info({ chain: this.deps.chain, holder }, 'standby: another process reads this chain');
        }
        told = term;
      } catch (error) {
        this.noteProblem('the lease cannot be looked at; it is tried again', error);
      }
      await this.pause(leaseMs / LOOKS, signal);
    }
    return false;
  }

  /** The record of a process that is gone for certain: no other one has this data folder open. After a fence it is not believed. */
  private isOwnPast({ holder }: LeaseRecord): boolean {
    return holder.instance === this.deps.own.instance && !this.fenced;
  }

  private hear(record: LeaseRecord): void {
    const before = this.heard?.record;
    if (before?.term === record.term && before.renewal === record.renewal && before.released === record.released)
      return;
    this.heard = { record, at: this.now(), steady: this.steady() };
    if (record.holder.instance !== this.deps.own.instance) this.fenced = false;
  }

  /** Null when another process was faster, or the log fails. */
  private async takeOver(): Promise<HeldTenure | null> {
    const { log, chain, logger, own } = this.deps;
    let writer: LogWriter | null = null;
    try {
      const beganAt = this.steady();
      writer = await log.openWriter(this.name);
      const held = new HeldTenure(writer, beganAt);
      await writer.append([leaseAppend(chain, this.recordOf(held, false))]);
      const from = this.heard?.record.holder ?? null;
      this.become(held);
      logger.info({ chain, own, from }, 'active: this process reads and writes the chain from now on');
      return held;
    } catch (error) {
      this.noteProblem('the lease could not be taken; it is tried again', error);
      await this.closed(writer);
      return null;
    }
  }

  private become(held: HeldTenure): void {
    this.current = held;
    this.since = this.now();
    this.lost = null;
    this.problem = null;
    this.fenced = false;
    for (const settle of [...this.waiting]) settle(held);
  }

  /** Renews until the lease is lost or the signal aborts. */
  private async hold(held: HeldTenure, signal: AbortSignal): Promise<void> {
    const { leaseMs, chain, logger } = this.deps;
    const ends = AbortSignal.any([signal, held.signal]);
    while (!ends.aborted) {
      await this.pause(leaseMs / RENEWALS, ends);
      if (!ends.aborted) await this.renewInTurn(held);
    }
    this.current = null;
    this.since = this.now();
    if (held.ended !== null) {
      this.lost = held.ended;
      logger.warn({ chain, reason: held.ended }, 'standby: this process no longer reads the chain');
      void this.closed(held.writer);
      return;
    }
    held.finish('given back');
    await Promise.allSettled(held.work);
    await this.giveBack(held);
  }

  private async giveBack(held: HeldTenure): Promise<void> {
    try {
      await this.inTime(
        held.writer.append([leaseAppend(this.deps.chain, this.recordOf(held, true))]),
        this.deps.leaseMs,
      );
    } catch (error) {
      this.noteProblem('the lease could not be given back; it runs out by itself', error);
    }
    await this.closed(held.writer);
  }

  private renewInTurn(held: HeldTenure): Promise<boolean> {
    const turn = this.turns.then(() => this.renew(held));
    this.turns = turn;
    return turn;
  }

  /** True when the log says that the lease is still held. Never rejects. */
  private async renew(held: HeldTenure): Promise<boolean> {
    while (held.ended === null && !held.signal.aborted) {
      const beganAt = this.steady();
      const left = held.provenAt + this.deps.leaseMs - beganAt;
      try {
        await this.inTime(this.prove(held), left);
        held.provenAt = beganAt;
        this.problem = null;
        return held.ended === null;
      } catch (error) {
        const code = error instanceof TidepoolError ? error.code : 'unexpected';
        if (code === 'fenced') {
          this.fenced = true;
          held.finish('another process took over the chain');
        } else if (code === 'lease_expired') {
          held.finish('the log did not confirm the lease for its whole length');
        } else {
          this.noteProblem('the lease could not be renewed; it is tried again', error);
          await this.pause(Math.min(250, this.deps.leaseMs / LOOKS), held.signal);
        }
      }
    }
    return false;
  }

  /** After an unknown outcome the log is read before anything is opened: to open is to fence. */
  private async prove(held: HeldTenure): Promise<void> {
    const { log, chain } = this.deps;
    const record = leaseAppend(chain, this.recordOf(held, false));
    try {
      await held.writer.append([record]);
    } catch (error) {
      if (error instanceof TidepoolError && error.code === 'fenced') throw error;
      await this.closed(held.writer);
      const newest = await this.reader.newest();
      if (newest?.term !== held.term) throw new TidepoolError('fenced', 'the lease has another holder');
      if (held.ended !== null) throw error;
      const writer = await log.openWriter(this.name);
      held.writer = writer;
      if (held.ended !== null) {
        await this.closed(writer);
        throw error;
      }
      await writer.append([record]);
    }
  }

  private recordOf(held: HeldTenure, released: boolean): LeaseRecord {
    return { version: 1, holder: this.deps.own, term: held.term, renewal: held.renewal++, released };
  }

  private async inTime<T>(work: Promise<T>, ms: number): Promise<T> {
    const done = new AbortController();
    try {
      return await Promise.race([work, this.expire(ms, done.signal)]);
    } finally {
      done.abort();
    }
  }

  /** Rejects after so long; resolves never of itself. */
  private expire(ms: number, signal: AbortSignal): Promise<never> {
    const end = this.steady() + ms;
    const late = (async (): Promise<never> => {
      for (let left = ms; left > 0 && !signal.aborted; left = end - this.steady()) await this.pause(left, signal);
      throw new TidepoolError('lease_expired', `lease of ${this.deps.chain}: no answer within ${Math.round(ms)} ms`);
    })();
    late.catch(() => undefined);
    return late;
  }

  private noteProblem(message: string, error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    if (this.problem === null) this.deps.logger.warn({ chain: this.deps.chain, err: error }, message);
    this.problem = text;
  }

  private async closed(writer: LogWriter | null): Promise<void> {
    try {
      await writer?.close();
    } catch (error) {
      this.noteProblem('the writer of the lease could not be closed', error);
    }
  }
}
