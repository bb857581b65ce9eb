import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, open, readFile, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TidepoolError } from '#libs/core/errors.js';

interface Holder {
  pid: number;
  /** Start of the process in kernel ticks, so that a reused pid is not mistaken for the holder; null where unknown. */
  started: string | null;
  host: string;
  what: string;
  since: string;
}

export interface FolderLock {
  release(): Promise<void>;
}

const LOCK = 'instance.lock';
const HEARTBEAT_MS = 5_000;
/** A holder on another host (a container that is gone) is dead when it gives no sign for so long. */
const SILENT_MS = 20_000;
const LOOK_MS = 250;
const TAKEOVER_STALE_MS = 10_000;

/**
 * One holder of a folder at a time. The lock file appears by link(2), which is atomic; one whose process is gone is taken
 * over under a second file, so that two starters never take it over from each other. No library does this: `proper-lockfile`
 * judges a holder by its silence alone, so that a start after kill -9 waits and a long pause loses the lock. Kernel locks
 * (`fs-ext`, `os-lock`) need a compiler at the installation and end at the border of a host. Neither can name the holder.
 * A holder on another host is watched: its clock and this one need not agree, and may be set.
 */
export async function acquireLock(dir: string, what: string, silentMs = SILENT_MS): Promise<FolderLock> {
  const path = join(dir, LOCK);
  const mine: Holder = {
    pid: process.pid,
    started: processStart(process.pid),
    host: hostname(),
    what,
    since: new Date().toISOString(),
  };
  const text = JSON.stringify(mine);
  for (let attempt = 0; attempt < 50; attempt++) {
    if (await create(path, text)) return keep(path, text);
    const holder = await readHolder(path);
    if (holder !== null && (await isAlive(holder, path, silentMs))) throw inUse(dir, holder);
    await takeOver(path, holder);
    await sleep(20);
  }
  throw new TidepoolError('data_folder_in_use', `${path} keeps changing hands; try again`);
}

function inUse(dir: string, holder: Holder): TidepoolError {
  const where = holder.host === hostname() ? `process ${holder.pid}` : `process ${holder.pid} on ${holder.host}`;
  return new TidepoolError(
    'data_folder_in_use',
    `${dir} is in use by ${holder.what} (${where}, since ${holder.since}): stop it first, or set TIDEPOOL_DATA_DIR to another folder`,
  );
}

/** Creates the lock file with its content at once; false when it is there already. */
async function create(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(draft);
  }
}

/** Removes the lock of a dead holder, if it is still that one's. Only one process at a time may try; the others come back later. */
async function takeOver(path: string, dead: Holder | null): Promise<void> {
  const guard = `${path}.takeover`;
  try {
    await (await open(guard, 'wx', 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const age = await stat(guard).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > TAKEOVER_STALE_MS) await unlink(guard).catch(ignoreMissing);
    return;
  }
  try {
    const holder = await readHolder(path);
    if (JSON.stringify(holder) === JSON.stringify(dead)) await unlink(path).catch(ignoreMissing);
  } finally {
    await unlink(guard).catch(ignoreMissing);
  }
}

function keep(path: string, text: string): FolderLock {
  const beat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {
      // The file may be gone with its folder; the holder check of others then simply finds no lock.
    });
  }, HEARTBEAT_MS);
  beat.unref();
  return {
    async release() {
      clearInterval(beat);
      if ((await readFile(path, 'utf8').catch(() => '')) === text) await unlink(path).catch(ignoreMissing);
    },
  };
}

async function readHolder(path: string): Promise<Holder | null> {
  try {
    const holder = JSON.parse(await readFile(path, 'utf8')) as Holder;
    return Number.isSafeInteger(holder.pid) && holder.pid > 0 ? holder : null;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function isAlive(holder: Holder, path: string, silentMs: number): Promise<boolean> {
  if (holder.host !== hostname()) return showsLife(path, silentMs);
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return holder.started === processStart(holder.pid);
}

/** Whether the time of a lock file changes: a file that is gone shows nothing. */
async function showsLife(path: string, silentMs: number): Promise<boolean> {
  const first = await changedAt(path);
  const until = performance.now() + silentMs;
  while (first !== null && performance.now() < until) {
    await sleep(Math.min(LOOK_MS, silentMs));
    const now = await changedAt(path);
    if (now !== first) return now !== null;
  }
  return false;
}

const changedAt = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );

/** Field 22 of /proc/<pid>/stat; null where there is no /proc, then only the pid counts. */
function processStart(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

const ignoreMissing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error;
};
