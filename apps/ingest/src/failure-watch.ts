import { TidepoolError } from '#libs/core/errors.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import type { StageFailure } from './ingest-status.js';

/** A stage that ran for so long since it failed has got over it. */
const OVER_AFTER_MS = 15_000;

/** A stage that remembers by its error's code what its last run ended with, until it has run well for a while. */
export class WatchedStage implements SupervisedStage {
  private failedWith: string | null = null;
  /** When the present run began; null while it does not run. */
  private runsSince: number | null = null;

  constructor(
    private readonly stage: SupervisedStage,
    /** Milliseconds on a clock that never steps. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  get name(): string {
    return this.stage.name;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.runsSince = this.now();
    try {
      await this.stage.run(signal);
      this.failedWith = null;
    } catch (error) {
      if (!signal.aborted) this.failedWith = error instanceof TidepoolError ? error.code : 'unexpected';
      throw error;
    } finally {
      this.runsSince = null;
    }
  }

  /** What it failed with, while it has not got over it. */
  failure(): StageFailure | null {
    if (this.runsSince !== null && this.now() - this.runsSince >= OVER_AFTER_MS) this.failedWith = null;
    return this.failedWith === null ? null : { stage: this.name, code: this.failedWith };
  }
}
