import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import type { KnownSetMark } from './known-store.js';

/**
 * What a source knows of the published chain in addition to its blocks: everything that the log records once.
 */
export interface LogMemory {
  /** Follows a published group, when the set is rebuilt from the log. */
  apply(group: BlocksGroup): void;
  /** Takes a row of the copy that programs before the store wrote. */
  restore(row: unknown): void;
}

const FORMAT = 'tidepool-known-set-1';
const unzip = promisify(gunzip);

/**
 * The copy of a known set that programs before the store wrote, one file checked by its digest. It is read where the store
 * has nothing, and stays where it is for a way back to such a program. If anything is wrong with it, the set is rebuilt from
 * the log.
 */
export class KnownSetFile {
  private readonly path: string;

  constructor(
    dataDir: string,
    private readonly chain: string,
  ) {
    this.path = join(dataDir, `${chain}.known-set.gz`);
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
