// Where the specs keep what they write. In memory where there is room for it: the specs make and remove hundreds of thousands
// of small files, and on a disk's file system that takes more of the processor than what they test. A `TMPDIR` that is given
// is used as it is.
import { mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const GIB = 2 ** 30;

/** What a run needs at least: free space in the memory's file system, and memory that is not in use. */
const NEEDED = { space: 6 * GIB, memory: 12 * GIB };

/** A folder for one run and what removes it, or null where the system's own is to be used. */
export function temporaryFolder({ env = process.env, room = roomInMemory() } = {}) {
  if (env.TMPDIR !== undefined || room === null) return null;
  if (room.space < NEEDED.space || room.memory < NEEDED.memory) return null;
  const folder = mkdtempSync(join(MEMORY, 'tidepool-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

function roomInMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const available = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'));
    return { space: bavail * bsize, memory: Number(available?.[1] ?? 0) * 1_024 };
  } catch {
    return null; // not a Linux system
  }
}
