import { existsSync } from 'node:fs';
import { KnownSetFile } from './known-set-file.js';
import { type KnownSetMark, knownStoreDir, openKnownStore } from './known-store.js';
import { TailFile } from './tail-file.js';

/**
 * Lowest seq of `blocks` that a start of the source reads: the files that it keeps next to the log cover everything below,
 * whatever the chain's family. Where one of its two copies is missing it reads from the beginning.
 */
export async function sourceNeedsFrom(dataDir: string, chain: string, epoch: number): Promise<number> {
  const tail = await new TailFile(dataDir, chain).load(epoch);
  const known = await knownMark(dataDir, chain);
  if (tail === null || known === null || known.epoch !== epoch) return 0;
  return Math.min(tail.sealed.seq, known.seq);
}

async function knownMark(dataDir: string, chain: string): Promise<KnownSetMark | null> {
  const dir = knownStoreDir(dataDir, chain);
  if (existsSync(dir)) {
    const store = openKnownStore(dir);
    const { mark } = store;
    await store.close();
    if (mark !== null) return mark;
  }
  return new KnownSetFile(dataDir, chain).mark();
}
