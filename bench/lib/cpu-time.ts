import { readdirSync, readFileSync } from 'node:fs';

/**
 * CPU time of process trees, read from /proc now and then: on a machine that others use too, it says more than the clock.
 * Invariant: the figure only grows; what a process used after the last look before its end is missing (a fraction of a
 * second).
 */
export class CpuWatch {
  private readonly used = new Map<number, number>();
  private readonly before = new Map<number, number>();
  private stopped = false;
  private readonly timer = setInterval(() => this.look(), LOOK_MS);

  /** Counts what this process and its descendants use from now on. */
  add(pid: number): void {
    const already = treeSeconds(pid);
    this.before.set(pid, already);
    this.used.set(pid, already);
  }

  /** Ends the watch; seconds used up to its first call. */
  stop(): number {
    if (!this.stopped) this.look();
    this.stopped = true;
    clearInterval(this.timer);
    let total = 0;
    for (const [pid, seconds] of this.used) total += seconds - (this.before.get(pid) ?? 0);
    return total;
  }

  private look(): void {
    for (const [pid, seconds] of this.used) this.used.set(pid, Math.max(seconds, treeSeconds(pid)));
  }
}

const LOOK_MS = 200;
const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  parent: number;
  seconds: number;
}

function treeSeconds(root: number): number {
  const processes = new Map<number, ProcessTimes>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const times = timesOf(name);
    if (times) processes.set(Number(name), times);
  }
  let total = 0;
  for (const [pid, { seconds }] of processes) if (descends(pid, root, processes)) total += seconds;
  return total;
}

function descends(pid: number, root: number, processes: ReadonlyMap<number, ProcessTimes>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = processes.get(at)?.parent) {
    if (at === root) return true;
  }
  return false;
}

/** Own and reaped children's user and system time. */
function timesOf(pid: string): ProcessTimes | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null; // it ended between the listing and the reading
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND };
}
