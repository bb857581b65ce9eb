import { existsSync, readFileSync } from 'node:fs';

/** Whether a process still runs. A zombie has ended: only its parent has not looked yet. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (!existsSync('/proc')) return true;
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false; // it ended between the two looks
  }
}
