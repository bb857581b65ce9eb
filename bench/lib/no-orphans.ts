import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A benchmark that is interrupted or fails leaves nothing behind. Every child, everything else that must end in order
 * and every temporary folder is named here. A signal or an uncaught failure ends them all, and a folder is removed only
 * when no process is left that could write into it.
 */
const children = new Map<ChildProcess, NodeJS.Signals>();
const stops = new Set<() => Promise<void>>();
const folders = new Set<string>();

/** A child that has not ended this long after its signal is killed. */
const PATIENCE_MS = 20_000;

export function endWithUs(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  watch();
  children.set(child, signal);
  child.once('exit', () => children.delete(child));
}

/** Names what has to be stopped in order. The answer stops it, once however often it is called. */
export function stopWithUs(stop: () => Promise<void>): () => Promise<void> {
  watch();
  let stopped: Promise<void> | null = null;
  const end = (): Promise<void> => {
    stopped ??= stop().finally(() => stops.delete(end));
    return stopped;
  };
  stops.add(end);
  return end;
}

/** A folder that is removed at the end of the process. */
export function temporaryFolder(prefix: string): string {
  watch();
  const folder = mkdtempSync(join(tmpdir(), prefix));
  folders.add(folder);
  return folder;
}

let watching = false;
let ending = false;

function watch(): void {
  if (watching) return;
  watching = true;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void endAll());
  process.on('uncaughtException', (error) => {
    // What breaks because everything is being ended is no news.
    if (!ending) console.error(error);
    void endAll();
  });
  process.once('exit', () => {
    for (const [child, signal] of children) child.kill(signal);
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
}

async function endAll(): Promise<void> {
  if (ending) return;
  ending = true;
  // A start that is under way may name one more child meanwhile.
  while (children.size > 0 || stops.size > 0) {
    const ends = [...[...children].map(([child, signal]) => endOf(child, signal)), ...[...stops].map((stop) => stop())];
    for (const end of await Promise.allSettled(ends)) if (end.status === 'rejected') console.error(end.reason);
  }
  process.exit(1);
}

async function endOf(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  // It never started, or its exit event is about to come.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
    children.delete(child);
    return;
  }
  const gone = once(child, 'exit');
  child.kill(signal);
  const kill = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  await gone;
  clearTimeout(kill);
}
