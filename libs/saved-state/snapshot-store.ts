import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Hot-state snapshots of one fold on disk. A snapshot's seq is that of the block it stands after; the file appears whole
 * or not at all, carries its own checksum, and a damaged one counts as absent. They are kept on an exponential ladder,
 * so that a retraction of any depth finds one below it; the empty state before seq 0 is always there.
 */
export interface SnapshotStore {
  /** Seqs on disk, newest first. */
  list(): Promise<number[]>;
  /** Bytes of a snapshot, or null when it is absent or damaged. */
  load(seq: number): Promise<Uint8Array | null>;
  save(seq: number, state: Uint8Array): Promise<void>;
  /** Removes snapshots at or above the seq: their blocks are gone. */
  dropFrom(seq: number): Promise<void>;
  /** Removes snapshots below the seq: the groups after them are gone. */
  dropBelow(seq: number): Promise<void>;
}

const FILE = /^(\d{16})\.snapshot$/;
const CHECKSUM_BYTES = 32;

export class DirectorySnapshots implements SnapshotStore {
  constructor(
    private readonly dir: string,
    private readonly keepNewest = 3,
  ) {}

  async list(): Promise<number[]> {
    await mkdir(this.dir, { recursive: true });
    const seqs: number[] = [];
    for (const name of await readdir(this.dir)) {
      const match = FILE.exec(name);
      if (match) seqs.push(Number(match[1]));
    }
    return seqs.sort((a, b) => b - a);
  }

  async load(seq: number): Promise<Uint8Array | null> {
    let file: Buffer;
    try {
      file = await readFile(this.path(seq));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    const body = file.subarray(CHECKSUM_BYTES);
    const sum = createHash('sha256').update(body).digest();
    return file.length >= CHECKSUM_BYTES && sum.equals(file.subarray(0, CHECKSUM_BYTES)) ? body : null;
  }

  async save(seq: number, state: Uint8Array): Promise<void> {
    await mkdir(this.dir, { recursive: true });
    const temporary = join(this.dir, `.${seq}.${process.pid}.tmp`);
    const handle = await open(temporary, 'w');
    try {
      await handle.write(createHash('sha256').update(state).digest());
      await handle.write(state);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, this.path(seq));
    for (const old of ladderExcess(await this.list(), this.keepNewest)) await rm(this.path(old), { force: true });
  }

  async dropFrom(seq: number): Promise<void> {
    for (const known of await this.list()) if (known >= seq) await rm(this.path(known), { force: true });
  }

  async dropBelow(seq: number): Promise<void> {
    for (const known of await this.list()) if (known < seq) await rm(this.path(known), { force: true });
  }

  private path(seq: number): string {
    return join(this.dir, `${String(seq).padStart(16, '0')}.snapshot`);
  }
}

/** Where an instance keeps the snapshots of one fold. */
export const snapshotsIn = (
  dataDir: string,
  fold: { chain: string; epoch: number; foldVersion: number },
): DirectorySnapshots =>
  new DirectorySnapshots(join(dataDir, 'snapshots', `${fold.chain}.e${fold.epoch}.f${fold.foldVersion}`));

/**
 * Which of the seqs (newest first) to drop: the newest few stay, and of the older ones the oldest in each power-of-two
 * distance from the newest. The oldest of all is always among them (rule 11): it is the one at the cut of a truncated log.
 */
export function ladderExcess(newestFirst: number[], keepNewest: number): number[] {
  const newest = newestFirst[0];
  if (newest === undefined) return [];
  const keep = new Set(newestFirst.slice(0, keepNewest));
  const rungs = new Map<number, number>();
  for (const seq of newestFirst.slice(keepNewest)) rungs.set(Math.floor(Math.log2(newest - seq)), seq);
  for (const seq of rungs.values()) keep.add(seq);
  return newestFirst.filter((seq) => !keep.has(seq));
}
