import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { KnownSetMark } from '#libs/pipeline/state/saved/known-store.js';

/** The copy of a known set as programs before the store wrote it. */
export async function writeOldCopy(
  dir: string,
  chain: string,
  mark: KnownSetMark,
  rows: Iterable<unknown>,
): Promise<void> {
  const lines = [{ format: 'tidepool-known-set-1', chain, ...mark }, ...rows].map((line) => JSON.stringify(line));
  const body = lines.join('\n');
  const digest = createHash('sha256').update(body).digest('hex');
  await writeFile(join(dir, `${chain}.known-set.gz`), gzipSync(`${body}\n${digest}`));
}
