import type { BuildRate } from '#libs/pipeline/epochs/served-epoch.js';
import { duration } from '#libs/platform/duration.js';

const WINDOW_MS = 30_000;
/** A shorter build says little of how fast a long one is. */
const MEASURED_SECONDS = 5;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 600_000;
const STEP_PERCENT = 10;

interface Sample {
  at: number;
  done: number;
}

/**
 * How far a build has come; the speed is that of the last seconds. It also says when that is worth a line in the log: at
 * every tenth, and after pauses that grow.
 */
export class BuildProgress {
  private readonly samples: Sample[] = [];
  private total = 0;
  private first: Sample | null = null;
  private arrived: Sample | null = null;
  private told: { at: number; step: number } | null = null;
  private pauseMs = FIRST_PAUSE_MS;

  constructor(
    /** Milliseconds on a clock that never steps. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  note(done: number, total: number, caughtUp = false): void {
    const sample = { at: this.now(), done };
    this.total = total;
    this.first ??= sample;
    if (caughtUp) this.arrived ??= sample;
    this.samples.push(sample);
    while (this.samples.length > 2 && sample.at - this.samples[0]!.at > WINDOW_MS) this.samples.shift();
  }

  /** 0-100, with one decimal. */
  get percent(): number {
    const done = this.samples.at(-1)?.done ?? 0;
    return this.total <= 0 ? 0 : Math.round(Math.min(1, done / this.total) * 1_000) / 10;
  }

  get etaSeconds(): number | null {
    const [first, last] = [this.samples[0], this.samples.at(-1)];
    if (first === undefined || last === undefined || last.done <= first.done || last.at <= first.at) return null;
    const perSecond = ((last.done - first.done) * 1_000) / (last.at - first.at);
    return Math.max(0, Math.round((this.total - last.done) / perSecond));
  }

  /** Over the way to the head; null while it was too short to say anything. */
  get rate(): BuildRate | null {
    const { first, arrived } = this;
    if (first === null || arrived === null) return null;
    const seconds = (arrived.at - first.at) / 1_000;
    const done = arrived.done - first.done;
    return seconds < MEASURED_SECONDS || done <= 0 ? null : { perSecond: done / seconds, done, seconds };
  }

  /** `43 %, about 1 min 20 s left` */
  get sentence(): string {
    const { etaSeconds } = this;
    return `${Math.floor(this.percent)} %${etaSeconds === null ? '' : `, about ${duration(etaSeconds)} left`}`;
  }

  /** True when a line of it is due; that one counts as written. */
  get isDue(): boolean {
    const at = this.now();
    const step = Math.floor(this.percent / STEP_PERCENT);
    this.told ??= { at, step };
    const waited = at - this.told.at;
    if (waited < FIRST_PAUSE_MS || (step === this.told.step && waited < this.pauseMs)) return false;
    this.pauseMs = step === this.told.step ? Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS * 2;
    this.told = { at, step };
    return true;
  }
}
