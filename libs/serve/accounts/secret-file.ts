import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TidepoolError } from '#libs/core/errors.js';

/**
 * A secret that is made once and kept in a file only its owner can read. Several processes that start together agree on
 * one value: it is written whole under another name and linked into place, so no process reads half of it.
 */
export async function secretFile(path: string, make: () => string): Promise<{ value: string; created: boolean }> {
  const existing = await readSecret(path);
  if (existing !== null) return { value: existing, created: false };
  await mkdir(dirname(path), { recursive: true });
  const draft = join(dirname(path), `.${randomBytes(8).toString('hex')}.draft`);
  const value = make();
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${value}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, path);
    return { value, created: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const winner = await readSecret(path);
    if (winner === null) throw error;
    return { value: winner, created: false };
  } finally {
    await unlink(draft);
  }
}

async function readSecret(path: string): Promise<string | null> {
  try {
    const value = (await readFile(path, 'utf8')).trim();
    if (value === '') {
      throw new TidepoolError('secret_empty', `${path} is empty: delete it and start again, a new one is made`);
    }
    return value;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** What signed page cursors before the secrets were in the log: the file `cursor-key` of an older data folder, or null. */
export async function olderCursorKey(dataDir: string): Promise<string | null> {
  const value = await readSecret(join(dataDir, 'cursor-key'));
  return value !== null && /^[0-9a-f]{64}$/.test(value) ? value : null;
}
