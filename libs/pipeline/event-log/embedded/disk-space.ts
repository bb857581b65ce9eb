import { closeSync, existsSync, fdatasyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const PROBE_BYTES = 1024 * 1024;

/**
 * Whether a folder can take no more data. Lmdb reports the short write that a full disk causes as a plain I/O error, so
 * after one this tries what lmdb tried: to write past the current end of the data file, in a separate file.
 */
export function diskIsFull(dir: string, dataFile: string): boolean {
  const probe = join(dir, `space-probe-${process.pid}`);
  const data = join(dir, dataFile);
  const end = existsSync(data) ? statSync(data).size : 0;
  try {
    const file = openSync(probe, 'w');
    try {
      const written = writeSync(file, Buffer.alloc(PROBE_BYTES), 0, PROBE_BYTES, end);
      fdatasyncSync(file);
      return written < PROBE_BYTES;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return FULL.has(String((error as NodeJS.ErrnoException).code));
  } finally {
    rmSync(probe, { force: true });
  }
}
