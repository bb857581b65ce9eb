import { duration } from '#libs/platform/duration.js';

const WINDOW_MS = 30_000;

/** How far a build has come; the speed is that of the last seconds. */
export class BuildProgress {
  private readonly samples: { at: number; done: number }[] = [];
  private total = 0;

  constructor(private readonly now: () => number) {}

  note(done: number, total: number): void {
    const at = this.now();
    this.total = total;
    this.samples.push({ at, done });
    while (this.samples.length > 2 && at - this.samples[0]!.at > WINDOW_MS) this.samples.shift();
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

  /** `43 %, about 1 min 20 s left` */
  get sentence(): string {
    const { etaSeconds } = this;
    return `${Math.floor(this.percent)} %${etaSeconds === null ? '' : `, about ${duration(etaSeconds)} left`}`;
  }
}
