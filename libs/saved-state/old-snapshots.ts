import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = /^(\d{16})\.snapshot$/;
const CHECKSUM_BYTES = 32;

/**
 * The snapshots that a program before keyed state kept of one fold, a file each, named by the seq of its block. They are only
 * read: a start that finds no state takes the newest of them over.
 */
export class OldSnapshots {
  constructor(private readonly dir: string) {}

  /** Seqs, newest first. */
  async list(): Promise<number[]> {
    const names = await readdir(this.dir).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names
      .flatMap((name) => FILE.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => b - a);
  }

  /** Null when it is damaged. */
  async load(seq: number): Promise<Uint8Array | null> {
    const file = await readFile(join(this.dir, `${String(seq).padStart(16, '0')}.snapshot`));
    const body = file.subarray(CHECKSUM_BYTES);
    const sum = createHash('sha256').update(body).digest();
    return file.length >= CHECKSUM_BYTES && sum.equals(file.subarray(0, CHECKSUM_BYTES)) ? body : null;
  }

  async remove(): Promise<void> {
    await rm(this.dir, { recursive: true, force: true });
  }
}
