import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The compiled entry of the thread that commits keyed states; specs run their sources uncompiled. */
export const commitThread = pathToFileURL(join('dist', 'libs', 'pipeline', 'state', 'lmdb', 'commit-thread-main.js'));
