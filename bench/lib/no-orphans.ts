import type { ChildProcess } from 'node:child_process';

/**
 * A benchmark that is interrupted or fails leaves no process behind: every child is named here, and a signal becomes an
 * ordinary exit, at which they are ended.
 */
const children = new Map<ChildProcess, NodeJS.Signals>();

export function endWithUs(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  watch();
  children.set(child, signal);
  child.once('exit', () => children.delete(child));
}

let watching = false;

function watch(): void {
  if (watching) return;
  watching = true;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  process.once('exit', () => {
    for (const [child, signal] of children) child.kill(signal);
  });
}
