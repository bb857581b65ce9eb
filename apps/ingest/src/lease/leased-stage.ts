import { TidepoolError } from '#libs/core/errors.js';
import { pause } from '#libs/platform/backoff.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import type { ChainLease, Tenure } from './chain-lease.js';

/** A stage that can follow the log without writing, so that it continues from there when it has to. */
export interface StandbyStage extends SupervisedStage {
  /** Follows until the signal aborts; opens no writer. */
  standBy?(signal: AbortSignal): Promise<void>;
}

interface StageLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Errors of following that trying again does not mend. */
const FINAL = new Set(['log_broken', 'undecodable', 'wrong_chain', 'config', 'schema_changed', 'schema_too_new']);
const AGAIN_MS = 1_000;

/**
 * A stage of a chain, run while this process holds the chain's lease; else it follows the log where it can. A fence is no end: it
 * says that another process holds the lease, then this one follows again; or that a process opened the writer before it
 * noticed that it no longer holds the lease, then the stage starts over and fences that one.
 */
export class LeasedStage implements SupervisedStage {
  constructor(
    private readonly stage: StandbyStage,
    private readonly lease: ChainLease,
    private readonly logger: StageLogger,
  ) {}

  get name(): string {
    return this.stage.name;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const tenure = await this.untilHeld(signal);
      if (tenure === null) return;
      try {
        await this.lease.during(tenure, this.stage.run(AbortSignal.any([signal, tenure.signal])));
        if (!tenure.signal.aborted) return;
      } catch (error) {
        await this.settle(error, tenure, signal);
      }
    }
  }

  /** Throws what is to be supervised; returns where the lease says what to do. */
  private async settle(error: unknown, tenure: Tenure, signal: AbortSignal): Promise<void> {
    const wasFenced = error instanceof TidepoolError && error.code === 'fenced';
    const fields = { stage: this.name, err: error };
    if (tenure.signal.aborted) {
      this.logger.info(fields, 'the stage ended with the lease of its chain');
      return;
    }
    if (!wasFenced || tenure.term === null) throw error;
    if (signal.aborted) return;
    if (!(await this.lease.confirm(tenure))) {
      this.logger.info(fields, 'the stage was fenced by the process that holds the chain now');
      return;
    }
    const message = 'a process without the lease of the chain had opened the writer of this stage; it is opened again';
    throw new TidepoolError('writer_taken', message, { cause: error });
  }

  private async untilHeld(signal: AbortSignal): Promise<Tenure | null> {
    const { stage, lease } = this;
    if (lease.tenure !== null || stage.standBy === undefined) return lease.held(signal);
    const end = new AbortController();
    const following = AbortSignal.any([signal, end.signal]);
    const held = lease.held(signal).finally(() => end.abort());
    while (!following.aborted) {
      try {
        await stage.standBy(following);
      } catch (error) {
        if (following.aborted) break;
        if (error instanceof TidepoolError && FINAL.has(error.code)) throw error;
        this.logger.warn({ stage: this.name, err: error }, 'following the log failed; it is tried again');
      }
      await pause(AGAIN_MS, following);
    }
    return held;
  }
}
