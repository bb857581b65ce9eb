import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TidepoolError } from '#libs/core/errors.js';
import { acquireLock, type FolderLock } from './folder-lock.js';

/** Layout of the data folder. Raise it when an older program could not read what this one writes. */
export const DATA_FORMAT = 1;

const STAMP = 'tidepool.json';
/** Files that may be in a folder that was never stamped: a start that was killed before the stamp was written. */
const BEFORE_STAMP = /^(instance\.lock.*|admin\.sock|tidepool\.json\.tmp)$/;

interface Stamp {
  format: number;
  createdBy: string;
  openedBy: string;
}

export interface DataFolder {
  readonly dir: string;
  /** Absolute path of a file or folder inside. */
  path(...parts: string[]): string;
  /** Gives the folder free for another instance. */
  close(): Promise<void>;
}

export interface OpenDataFolderOptions {
  dir: string;
  version: string;
  /** Shown to a second instance: "npm start", "tidepool topics export" … */
  holder: string;
  /** False for an app of its own process that only keeps a key file here and may run many times. */
  exclusive?: boolean;
  /** How long a holder on another host is watched for a sign of life. */
  silentMs?: number;
}

/**
 * Opens (or makes) the folder that holds everything of one instance. Two invariants: one instance at a time, and an
 * older program never touches a folder that a newer one wrote.
 */
export async function openDataFolder(options: OpenDataFolderOptions): Promise<DataFolder> {
  const { dir, version, exclusive = true, holder, silentMs } = options;
  const made = await mkdir(dir, { recursive: true, mode: 0o700 });
  if (made === undefined) await refuseForeign(dir);
  else await chmod(dir, 0o700);
  const lock: FolderLock | null = exclusive ? await acquireLock(dir, holder, silentMs) : null;
  try {
    await checkStamp(dir, version);
  } catch (error) {
    await lock?.release();
    throw error;
  }
  return {
    dir,
    path: (...parts) => join(dir, ...parts),
    close: async () => lock?.release(),
  };
}

async function refuseForeign(dir: string): Promise<void> {
  if (existsSync(join(dir, STAMP))) return;
  const foreign = (await readdir(dir)).filter((name) => !BEFORE_STAMP.test(name));
  if (foreign.length === 0) return;
  throw new TidepoolError(
    'data_folder',
    `TIDEPOOL_DATA_DIR: ${dir} is not a Tidepool data folder (it holds ${foreign.slice(0, 3).join(', ')}); name an empty or new folder`,
  );
}

async function checkStamp(dir: string, version: string): Promise<void> {
  const path = join(dir, STAMP);
  const stamp = existsSync(path) ? parseStamp(await readFile(path, 'utf8'), path) : null;
  if (stamp && stamp.format > DATA_FORMAT) {
    throw new TidepoolError(
      'data_folder',
      `${dir} was written by Tidepool ${stamp.openedBy} (format ${stamp.format}); this is ${version} (format ${DATA_FORMAT}): ` +
        'start that version or a newer one, or name another folder in TIDEPOOL_DATA_DIR',
    );
  }
  if (stamp?.format === DATA_FORMAT && stamp.openedBy === version) return;
  const next: Stamp = { format: DATA_FORMAT, createdBy: stamp?.createdBy ?? version, openedBy: version };
  await writeFile(`${path}.tmp`, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.tmp`, path);
}

function parseStamp(text: string, path: string): Stamp {
  try {
    const stamp = JSON.parse(text) as Stamp;
    if (Number.isSafeInteger(stamp.format) && typeof stamp.openedBy === 'string') return stamp;
  } catch {
    // falls through to the one error below
  }
  throw new TidepoolError(
    'data_folder',
    `${path} is damaged; restore it from a backup or name another TIDEPOOL_DATA_DIR`,
  );
}
