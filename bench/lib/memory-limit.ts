import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A bound for the memory of child processes, their page cache included: a control group below the one that this process is in
 * (version 1 or 2). Null where the machine gives none to this user; then the page cache is as large as the machine.
 */
export interface MemoryLimit {
  /** The words before a command that put it into the group. */
  readonly wrap: readonly string[];
  /** Bytes of page cache that the group holds now. */
  pageCache(): number;
  /** Gives up the group's page cache, as after a restart of the machine. */
  dropPageCache(): void;
  remove(): void;
}

const ROOT = '/sys/fs/cgroup';

export function memoryLimit(bytes: number): MemoryLimit | null {
  const groups = readFileSync('/proc/self/cgroup', 'utf8').split('\n');
  const first = groups.map((line) => /^\d+:([\w,]*\bmemory\b[\w,]*):(.+)$/.exec(line)?.[2]).find(Boolean);
  const second = groups.map((line) => /^0::(.+)$/.exec(line)?.[1]).find(Boolean);
  for (const { folder, file } of [
    { folder: first && join(ROOT, 'memory', first), file: 'memory.limit_in_bytes' },
    { folder: second && join(ROOT, second), file: 'memory.max' },
  ]) {
    if (!folder || !existsSync(folder)) continue;
    const group = join(folder, `tidepool-bench-${process.pid}`);
    try {
      mkdirSync(group);
      if (existsSync(join(group, file))) {
        writeFileSync(join(group, file), String(bytes));
        return limitOf(group);
      }
      rmdirSync(group);
    } catch (error) {
      if (existsSync(group)) rmdirSync(group);
      if (!['EACCES', 'EPERM', 'EROFS', 'EBUSY'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
    }
  }
  return null;
}

function limitOf(group: string): MemoryLimit {
  const drop = ['memory.force_empty', 'memory.reclaim'].map((name) => join(group, name)).find(existsSync);
  return {
    wrap: ['sh', '-c', `echo $$ > '${join(group, 'cgroup.procs')}' && exec "$@"`, 'limited'],
    pageCache: () => {
      const stat = readFileSync(join(group, 'memory.stat'), 'utf8');
      return Number(/^(?:cache|file) (\d+)$/m.exec(stat)?.[1] ?? 0);
    },
    dropPageCache: () => {
      if (drop !== undefined) writeFileSync(drop, String(2 ** 40));
    },
    remove: () => rmdirSync(group),
  };
}
