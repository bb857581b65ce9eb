import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { LeaseHolder } from './lease-record.js';

/** The time in which this process holds a chain. */
export interface Tenure {
  /** Null where no other process can ever hold it. */
  readonly term: string | null;
  /** Aborts when the lease is lost or given back. */
  readonly signal: AbortSignal;
}

/** What a process says of its place. */
export interface LeaseStatus {
  /** `active`: it writes the chain. `standby`: another one does, and this one follows the log and takes over when that one is lost. */
  role: 'active' | 'standby';
  /** Since when, Unix ms. */
  since: number;
  /** Null where no other process can ever hold it. */
  leaseMs: number | null;
  /** The process that holds the chain, as far as this one knows. */
  holder: LeaseHolder | null;
  /** When this process last saw a new word of the holder, Unix ms, and how long ago that is on a clock that never steps. */
  heardAt: number | null;
  heardAgoMs: number | null;
  /** Why it is no longer the active one, where it was. */
  lost: string | null;
  /** What keeps it from looking at the lease. */
  problem: string | null;
}

/** The right to write a chain, which one process has at a time. */
export interface ChainLease {
  /** Null in a standby. */
  readonly tenure: Tenure | null;
  /** The present tenure, or the next one; null when the signal aborts before. */
  held(signal: AbortSignal): Promise<Tenure | null>;
  /** Asks the log whether this process still holds the chain. */
  confirm(tenure: Tenure): Promise<boolean>;
  /** Notes work under a tenure: a lease is given back when all of it has ended. */
  during<T>(tenure: Tenure, work: Promise<T>): Promise<T>;
  /** The log for the stages of the chain: it opens no writer for a process that does not hold it. */
  guard(log: EventLog): EventLog;
  status(): LeaseStatus;
}

/** Of a log that no second process can open: it is always held. */
export class SoleLease implements ChainLease {
  readonly tenure: Tenure = { term: null, signal: new AbortController().signal };
  private readonly since: number;

  constructor(now: () => number) {
    this.since = now();
  }

  held(signal: AbortSignal): Promise<Tenure | null> {
    return Promise.resolve(signal.aborted ? null : this.tenure);
  }

  confirm(): Promise<boolean> {
    return Promise.resolve(false);
  }

  during<T>(_tenure: Tenure, work: Promise<T>): Promise<T> {
    return work;
  }

  guard(log: EventLog): EventLog {
    return log;
  }

  status(): LeaseStatus {
    const none = { leaseMs: null, holder: null, heardAt: null, heardAgoMs: null, lost: null, problem: null };
    return { role: 'active', since: this.since, ...none };
  }
}
