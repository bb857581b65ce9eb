import type { Progress } from '#libs/platform/admin-protocol.js';
import { duration } from '#libs/platform/duration.js';
import type { Output } from './command.js';

const BAR_EVERY_MS = 100;
const LINE_EVERY_MS = 5_000;

/** A bar that is redrawn on a terminal; a plain line now and then otherwise. Writes to standard error only. */
export class ProgressView {
  private shownAt = Number.NEGATIVE_INFINITY;
  private startedAt: number;
  private startedDone: number | null = null;
  private drawn = false;

  constructor(
    private readonly out: Output,
    private readonly now: () => number = Date.now,
  ) {
    this.startedAt = this.now();
  }

  show(progress: Progress): void {
    this.startedDone ??= progress.done;
    const complete = progress.total !== null && progress.done >= progress.total;
    const every = this.out.isTTY ? BAR_EVERY_MS : LINE_EVERY_MS;
    if (!complete && this.now() - this.shownAt < every) return;
    this.shownAt = this.now();
    const text = this.text(progress);
    if (!this.out.isTTY) this.out.write(`${text}\n`);
    else {
      this.out.write(`\r\u001b[K${text.slice(0, Math.max(20, (this.out.columns ?? 80) - 1))}`);
      this.drawn = true;
    }
  }

  /** Ends the bar's line, so that what follows starts on its own. */
  end(): void {
    if (this.drawn) this.out.write('\n');
    this.drawn = false;
  }

  private text({ label, done, total, unit }: Progress): string {
    const count = `${done.toLocaleString('en-US')}${total === null ? '' : ` of ${total.toLocaleString('en-US')}`} ${unit}`;
    if (total === null || total === 0) return `${label}: ${count}`;
    const share = Math.min(1, done / total);
    const bar = this.out.isTTY ? `[${'#'.repeat(Math.round(share * 24)).padEnd(24, '.')}] ` : '';
    const advanced = done - (this.startedDone ?? 0);
    const seconds = (this.now() - this.startedAt) / 1000;
    const left = advanced > 0 && share < 1 ? `, ${duration((seconds / advanced) * (total - done))} left` : '';
    return `${label}: ${bar}${Math.floor(share * 100)} % (${count}${left})`;
  }
}
