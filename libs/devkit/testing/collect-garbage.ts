import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Frees what nothing holds any more, now: a test then sees what is kept. Needs no flag of the process. */
export const collectGarbage = runInNewContext('gc') as () => void;
