import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What a process and its descendants use, read from /proc. Every figure of one look is taken in one turn, so that they
 * belong together; a process that ends between the listing and the reading is left out.
 */
export interface ProcessUse {
  pid: number;
  name: string;
  /** User and system time since its start. */
  cpuSeconds: number;
  /** Bytes it made the kernel write since its start. */
  writtenBytes: number;
  /** Proportional share of memory: the sum over processes counts a shared page once. */
  pssBytes: number;
}

const TICKS_PER_SECOND = 100;

/** The process first, then its descendants in the order of their ids. */
export function processTree(root: number): ProcessUse[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const fields = statFields(Number(name));
    if (fields !== null) parents.set(Number(name), Number(fields.after[1]));
  }
  const family = [...parents.keys()].filter((pid) => pid === root || descends(pid, root, parents));
  return family.sort((a, b) => Number(b === root) - Number(a === root) || a - b).flatMap((pid) => useOf(pid) ?? []);
}

/** Bytes that a folder takes up on the disk, and the number of its files. Stores add and remove files meanwhile. */
export function folderUse(folder: string): { bytes: number; files: number } {
  const total = { bytes: 0, files: 0 };
  for (const entry of orGone(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const path = join(folder, entry.name);
    const inside = entry.isDirectory() ? folderUse(path) : { bytes: 0, files: 1 };
    total.bytes += inside.bytes + (orGone(() => statSync(path))?.blocks ?? 0) * 512;
    total.files += inside.files;
  }
  return total;
}

function descends(pid: number, root: number, parents: ReadonlyMap<number, number>): boolean {
  for (let at = parents.get(pid); at !== undefined && at > 1; at = parents.get(at)) if (at === root) return true;
  return false;
}

function useOf(pid: number): ProcessUse | null {
  const stat = statFields(pid);
  const io = readGone(`/proc/${pid}/io`);
  const memory = readGone(`/proc/${pid}/smaps_rollup`);
  if (stat === null || io === null || memory === null) return null;
  return {
    pid,
    name: stat.name,
    cpuSeconds: (Number(stat.after[11]) + Number(stat.after[12])) / TICKS_PER_SECOND,
    writtenBytes: Number(/^write_bytes: (\d+)$/m.exec(io)?.[1] ?? 0),
    pssBytes: Number(/^Pss:\s+(\d+) kB$/m.exec(memory)?.[1] ?? 0) * 1024,
  };
}

/** Name, and what comes after it: state, parent, … (fields 3 and on of proc(5)). */
function statFields(pid: number): { name: string; after: string[] } | null {
  const stat = readGone(`/proc/${pid}/stat`);
  if (stat === null) return null;
  const end = stat.lastIndexOf(')');
  return { name: stat.slice(stat.indexOf('(') + 1, end), after: stat.slice(end + 2).split(' ') };
}

const readGone = (path: string): string | null => orGone(() => readFileSync(path, 'utf8'));

/** Null for what is not there any more. */
function orGone<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
}
