import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Bytes of an executable that is shipped with this file. */
export const executable = (program: 'swap' | 'amm' | 'launchpad'): Buffer =>
  readFileSync(fileURLToPath(new URL(`./bin/${program}.so`, import.meta.url)));
