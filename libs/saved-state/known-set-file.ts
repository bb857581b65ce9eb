import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { GroupMark } from '#libs/chains/source-port.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';

/**
 * What a source knows of the published chain in addition to its blocks: everything that the log records once. Rows are
 * JSON values in a form of the set's own choice.
 */
export interface LogMemory {
  /** Follows a published group, when the set is rebuilt from the log. */
  apply(group: BlocksGroup): void;
  rows(): Iterable<unknown>;
  /** Takes a row of `rows` back. */
  restore(row: unknown): void;
}

/** The place in the log that a known set describes: all groups up to and including the marked one. */
export interface KnownSetMark extends GroupMark {
  readonly epoch: number;
  readonly seq: number;
}

const FORMAT = 'tidepool-known-set-1';
const zip = promisify(gzip);
const unzip = promisify(gunzip);

/**
 * Keeps a copy of the known set on disk, so that a start reads the log from there and not from its beginning. Only a
 * cache: written under another name and renamed into place, and checked by its digest. If anything is wrong with it, the
 * set is rebuilt from the log.
 */
export class KnownSetFile {
  private readonly path: string;

  constructor(
    dataDir: string,
    private readonly chain: string,
  ) {
    this.path = join(dataDir, `${chain}.known-set.gz`);
  }

  async save(mark: KnownSetMark, known: LogMemory): Promise<void> {
    const lines = [JSON.stringify({ format: FORMAT, chain: this.chain, ...mark })];
    for (const row of known.rows()) lines.push(JSON.stringify(row));
    const body = lines.join('\n');
    const bytes = await zip(`${body}\n${digest(body)}`, { level: 1 });
    await mkdir(dirname(this.path), { recursive: true });
    const draft = `${this.path}.tmp`;
    const file = await open(draft, 'w');
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, this.path);
  }

  /** Fills an empty set and says which place it describes; null when there is no copy that can be trusted. */
  async load(known: LogMemory): Promise<KnownSetMark | null> {
    const found = await this.read();
    for (const row of found?.rows ?? []) known.restore(JSON.parse(row));
    return found?.mark ?? null;
  }

  /** The place that the copy describes, whatever it says; null when there is no copy that can be trusted. */
  async mark(): Promise<KnownSetMark | null> {
    return (await this.read())?.mark ?? null;
  }

  private async read(): Promise<{ mark: KnownSetMark; rows: string[] } | null> {
    let text: string;
    try {
      text = (await unzip(await readFile(this.path))).toString('utf8');
    } catch {
      return null; // no file yet, or one that was cut off: the log has everything
    }
    const end = text.lastIndexOf('\n');
    const body = text.slice(0, end);
    if (end === -1 || text.slice(end + 1) !== digest(body)) return null;
    const [head, ...rows] = body.split('\n');
    const { format, chain, epoch, seq, kind, height, hash } = JSON.parse(head!);
    if (format !== FORMAT || chain !== this.chain) return null;
    return { mark: { epoch, seq, kind, height, hash }, rows };
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
