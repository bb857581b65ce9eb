import { statfs } from 'node:fs/promises';
import { TidepoolError } from '#libs/core/errors.js';
import type { Logger } from './logger.js';

const SIGNS = /ENOSPC|EDQUOT|MDB_MAP_FULL|No space left on device|Disk quota exceeded|NOT_ENOUGH_SPACE|Code: 243\b/;

/** Whether an error of the file system, lmdb or ClickHouse means that the disk is full. */
export function isDiskFull(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (code === 'disk_full' || code === 'ENOSPC' || code === 'EDQUOT' || SIGNS.test(cause.message)) return true;
  }
  return false;
}

/** The error people see: what is full and what to do. */
export function diskFullError(dir: string, cause?: unknown): TidepoolError {
  const advice =
    'free space there (or set TIDEPOOL_DATA_DIR to a larger disk); indexing continues by itself afterwards';
  return new TidepoolError('disk_full', `the disk that holds ${dir} is full: writing stopped cleanly; ${advice}`, {
    cause,
  });
}

export async function freeBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

export interface DiskGuardOptions {
  dir: string;
  minFreeBytes: number;
  logger: Logger;
  /** The disk fell below the limit: stop writing. */
  onLow(message: string): Promise<void>;
  /** It is above the limit by half again: continue. */
  onRecovered(): void;
  everyMs?: number;
  measure?: (dir: string) => Promise<number>;
}

/** Watches the free space of the data folder's disk and reports when writing must stop and when it may continue. */
export class DiskGuard {
  private timer: NodeJS.Timeout | null = null;
  private low = false;
  private readonly measure: (dir: string) => Promise<number>;

  constructor(private readonly options: DiskGuardOptions) {
    this.measure = options.measure ?? freeBytes;
  }

  get isLow(): boolean {
    return this.low;
  }

  /** One look; `start` repeats it. */
  async check(): Promise<void> {
    const { dir, minFreeBytes } = this.options;
    const free = await this.measure(dir);
    if (!this.low && free < minFreeBytes) {
      this.low = true;
      await this.options.onLow(diskFullError(dir).message);
    } else if (this.low && free >= minFreeBytes * 1.5) {
      this.low = false;
      this.options.onRecovered();
    }
  }

  /** Looks once and then every few seconds. Does nothing when the limit is 0. */
  async start(): Promise<void> {
    if (this.options.minFreeBytes === 0) return;
    await this.check();
    this.schedule();
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private schedule(): void {
    this.timer = setTimeout(() => {
      this.check()
        .catch((error: unknown) => this.options.logger.warn({ err: error }, 'free disk space cannot be read'))
        .finally(() => {
          if (this.timer) this.schedule();
        });
    }, this.options.everyMs ?? 5_000);
    this.timer.unref();
  }
}
