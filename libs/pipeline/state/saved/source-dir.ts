import { access } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the source of an epoch keeps its files while another epoch of the same chain is served. */
export const ownSourceDir = (dataDir: string, epoch: number): string => join(dataDir, `e${epoch}`);

/**
 * Where the files of an epoch are: in a folder of its own when it was built next to another one, else in the chain's. So
 * two epochs that are read at the same time never share a file.
 */
export async function sourceDir(dataDir: string, epoch: number): Promise<string> {
  const own = ownSourceDir(dataDir, epoch);
  try {
    await access(own);
    return own;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return dataDir;
    throw error;
  }
}
