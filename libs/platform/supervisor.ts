import { TidepoolError } from '#libs/core/errors.js';
import { Backoff, type BackoffRule, defaultBackoff, pause } from './backoff.js';
import { isDiskFull } from './disk-space.js';
import type { Logger } from './logger.js';

/** A stage of a partition: it runs until the signal aborts, or throws. */
export interface SupervisedStage {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

/**
 * running · waiting: failed, will be tried again · held: paused from outside (full disk) · stopped: will not be tried
 * again until an operator acts · ended: returned by itself or was stopped in order.
 */
export type StageState = 'running' | 'waiting' | 'held' | 'stopped' | 'ended';

export interface SupervisedStatus {
  name: string;
  state: StageState;
  restarts: number;
  /** Unix ms of the last change of state. */
  since: number;
  error: { code: string; message: string; at: number } | null;
}

export interface SupervisorOptions {
  logger: Logger;
  backoff?: BackoffRule;
  random?: () => number;
  now?: () => number;
  /** Milliseconds on a clock that never steps: how long a stage ran. */
  steady?: () => number;
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called after every change of a stage's state. */
  onChange?: (status: SupervisedStatus) => void;
  /** Turns the text of an error into one that may be shown (credentials removed). */
  redact?: (text: string) => string;
}

/** Codes of errors that a retry cannot mend: the partition stops and shows it (invariant 9). */
const PERMANENT = new Set([
  'fenced',
  'log_broken',
  'undecodable',
  'config',
  'data_folder',
  'schema_changed',
  'schema_too_new',
]);

interface Entry {
  stage: SupervisedStage;
  status: SupervisedStatus;
  abort: AbortController;
  backoff: Backoff;
  running: Promise<void>;
}

/**
 * Runs stages for as long as the process lives. Infrastructure failures restart a stage with backoff, for ever; a fence,
 * a broken log or undecodable input stop it, visibly, and nothing else. Nothing is dropped after some number of tries.
 */
export class Supervisor {
  private readonly entries = new Map<string, Entry>();
  private holdReason: string | null = null;
  private readonly now: () => number;
  private readonly steady: () => number;
  private readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  private readonly redact: (text: string) => string;

  constructor(private readonly options: SupervisorOptions) {
    this.now = options.now ?? Date.now;
    this.steady = options.steady ?? (() => performance.now());
    this.pause = options.pause ?? pause;
    this.redact = options.redact ?? ((text) => text);
  }

  start(stage: SupervisedStage): void {
    if (this.entries.has(stage.name)) throw new TidepoolError('duplicate_stage', `stage ${stage.name} runs already`);
    const entry: Entry = {
      stage,
      status: { name: stage.name, state: 'ended', restarts: 0, since: this.now(), error: null },
      abort: new AbortController(),
      backoff: new Backoff(this.options.backoff ?? defaultBackoff, this.options.random),
      running: Promise.resolve(),
    };
    this.entries.set(stage.name, entry);
    if (this.holdReason === null) this.launch(entry);
    else this.change(entry, 'held');
  }

  /** Starts a stopped or waiting stage at once; a running one is left alone. Returns whether the stage exists. */
  async restart(name: string): Promise<boolean> {
    const entry = this.entries.get(name);
    if (!entry) return false;
    if (entry.status.state === 'running' || entry.status.state === 'held') return true;
    await this.halt(entry);
    entry.backoff.reset();
    this.launch(entry);
    return true;
  }

  /** Ends one stage for good and waits until it has returned. */
  async end(name: string): Promise<void> {
    const entry = this.entries.get(name);
    if (!entry) return;
    await this.halt(entry);
    if (entry.status.state === 'held') this.change(entry, 'ended');
  }

  /** Ends every stage until `release`: reading continues, writing stops cleanly. */
  async hold(reason: string): Promise<void> {
    if (this.holdReason !== null) return;
    this.holdReason = reason;
    this.options.logger.warn({ reason }, 'stages are held');
    const active = [...this.entries.values()].filter(
      ({ status }) => status.state === 'running' || status.state === 'waiting',
    );
    await Promise.all(
      active.map(async (entry) => {
        await this.halt(entry);
        if (entry.status.state !== 'stopped') this.change(entry, 'held');
      }),
    );
  }

  release(): void {
    if (this.holdReason === null) return;
    this.holdReason = null;
    this.options.logger.info({}, 'stages go on');
    for (const entry of this.entries.values()) if (entry.status.state === 'held') this.launch(entry);
  }

  get held(): string | null {
    return this.holdReason;
  }

  status(): SupervisedStatus[] {
    return [...this.entries.values()].map(({ status }) => ({ ...status }));
  }

  /** Aborts every stage and waits until each has returned. */
  async stop(): Promise<void> {
    await Promise.all([...this.entries.values()].map((entry) => this.halt(entry)));
  }

  private async halt(entry: Entry): Promise<void> {
    entry.abort.abort();
    await entry.running;
  }

  private launch(entry: Entry): void {
    entry.abort = new AbortController();
    entry.running = this.supervise(entry, entry.abort.signal);
  }

  private async supervise(entry: Entry, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.change(entry, 'running');
      const started = this.steady();
      try {
        await entry.stage.run(signal);
        this.change(entry, 'ended');
        return;
      } catch (error) {
        const code = error instanceof TidepoolError ? error.code : isDiskFull(error) ? 'disk_full' : 'unexpected';
        const message = this.redact(error instanceof Error ? error.message : String(error));
        const fields = { stage: entry.stage.name, code, err: error };
        entry.status.error = { code, message, at: this.now() };
        if (PERMANENT.has(code)) {
          this.options.logger.error(fields, 'stage stopped: it needs attention');
          this.change(entry, 'stopped');
          return;
        }
        if (signal.aborted) {
          this.options.logger.debug(fields, 'stage failed while it was stopping');
          break;
        }
        const delayMs = entry.backoff.next(this.steady() - started);
        this.options.logger.warn({ ...fields, delayMs }, 'stage failed and will be restarted');
        entry.status.restarts++;
        this.change(entry, 'waiting');
        await this.pause(delayMs, signal);
      }
    }
    this.change(entry, 'ended');
  }

  private change(entry: Entry, state: StageState): void {
    entry.status.state = state;
    entry.status.since = this.now();
    this.options.onChange?.({ ...entry.status });
  }
}
