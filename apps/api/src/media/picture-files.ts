import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPictureName } from '#libs/platform/outbound/picture.js';

/** Where pictures come from, by name; null where there is none of that name. */
export interface PictureSource {
  read(name: string): Promise<Buffer | null>;
}

export interface PictureFilesOptions {
  /** Several processes may have the same folder. */
  dir: string;
  /** Bytes of all files together. */
  maxBytes?: number;
}

/**
 * Pictures on disk, in front of the table that all processes share. Invariant: a file is whole or not there; what was used longest
 * ago goes first when there are more bytes than allowed. A name is the hash of the content, so that a file is never out of date.
 */
export class PictureFiles {
  private readonly dir: string;
  private readonly maxBytes: number;
  /** Sizes, those used longest ago first. */
  private readonly sizes = new Map<string, number>();
  private bytes = 0;
  private opened: Promise<void> | null = null;
  private readonly reading = new Map<string, Promise<Buffer | null>>();

  constructor(
    private readonly source: PictureSource,
    { dir, maxBytes = 256 * 1024 * 1024 }: PictureFilesOptions,
  ) {
    this.dir = dir;
    this.maxBytes = maxBytes;
  }

  /** Requests for one picture that come together share one read. */
  read(name: string): Promise<Buffer | null> {
    if (!isPictureName(name)) return Promise.resolve(null);
    let reading = this.reading.get(name);
    if (reading === undefined) {
      reading = this.find(name).finally(() => this.reading.delete(name));
      this.reading.set(name, reading);
    }
    return reading;
  }

  private async find(name: string): Promise<Buffer | null> {
    this.opened ??= this.open();
    await this.opened;
    const kept = await fileOf(join(this.dir, name));
    if (kept !== null) {
      await this.use(name, kept.length);
      return kept;
    }
    const content = await this.source.read(name);
    if (content !== null) await this.keep(name, content);
    return content;
  }

  /** What an earlier process kept, the file used longest ago first. */
  private async open(): Promise<void> {
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    const files = (await readdir(this.dir)).filter(isPictureName);
    const known = await Promise.all(
      files.map(async (name) => ({ name, at: await stat(join(this.dir, name)).catch(() => null) })),
    );
    known.sort((a, b) => (a.at?.mtimeMs ?? 0) - (b.at?.mtimeMs ?? 0));
    for (const { name, at } of known) if (at !== null) this.count(name, at.size);
    await this.evict();
  }

  private async use(name: string, size: number): Promise<void> {
    this.count(name, size);
    const now = new Date();
    // For the order after a restart; another process may have deleted it meanwhile.
    await utimes(join(this.dir, name), now, now).catch(() => undefined);
  }

  private async keep(name: string, content: Buffer): Promise<void> {
    const temporary = join(this.dir, `${randomBytes(8).toString('hex')}.tmp`);
    await writeFile(temporary, content, { mode: 0o600 });
    await rename(temporary, join(this.dir, name));
    this.count(name, content.length);
    await this.evict();
  }

  private count(name: string, size: number): void {
    this.bytes += size - (this.sizes.get(name) ?? 0);
    this.sizes.delete(name);
    this.sizes.set(name, size);
  }

  private async evict(): Promise<void> {
    for (const [name, size] of this.sizes) {
      if (this.bytes <= this.maxBytes) return;
      this.sizes.delete(name);
      this.bytes -= size;
      await rm(join(this.dir, name), { force: true });
    }
  }
}

async function fileOf(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
