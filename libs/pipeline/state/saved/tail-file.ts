import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BlockRef } from '#libs/chain/chains/source-port.js';
import type { ReferenceSet } from '#libs/protocol/blocks.js';

/** A surviving block and the seq of its group. */
export interface PublishedBlock extends BlockRef {
  readonly seq: number;
}

/** What a start has to know of the log below its unsealed blocks. */
export interface KeptTail {
  readonly epoch: number;
  readonly reference: ReferenceSet;
  /** The block before the first one of the epoch. */
  readonly base: BlockRef;
  /** The sealed block: everything that a start reads is at or above its seq. */
  readonly sealed: PublishedBlock;
  readonly finalizedHeight: number;
}

const FORMAT = 'tidepool-source-tail-1';

/**
 * Keeps the reference set of the epoch and the place of the newest seal on disk, so that a start need not read the first
 * group of the log nor look for the seal. Only a cache: it appears whole, is checked by its digest and against the log,
 * and whatever is wrong with it means that the log is read instead.
 */
export class TailFile {
  private readonly path: string;

  constructor(
    dataDir: string,
    private readonly chain: string,
  ) {
    this.path = join(dataDir, `${chain}.tail.json`);
  }

  async save(tail: KeptTail): Promise<void> {
    const body = JSON.stringify({ format: FORMAT, chain: this.chain, ...tail });
    await mkdir(dirname(this.path), { recursive: true });
    const draft = `${this.path}.tmp`;
    await writeFile(draft, `${body}\n${digest(body)}\n`);
    await rename(draft, this.path);
  }

  /** Null when there is none that can be trusted for this epoch. */
  async load(epoch: number): Promise<KeptTail | null> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    const [body = '', sum] = text.split('\n');
    if (sum !== digest(body)) return null;
    const kept = JSON.parse(body) as KeptTail & { format: string; chain: string };
    if (kept.format !== FORMAT || kept.chain !== this.chain || kept.epoch !== epoch) return null;
    const { reference, base, sealed, finalizedHeight } = kept;
    return { epoch, reference, base, sealed, finalizedHeight };
  }

  /** A new log begins: what was kept describes another one. */
  async forget(): Promise<void> {
    await rm(this.path, { force: true });
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
