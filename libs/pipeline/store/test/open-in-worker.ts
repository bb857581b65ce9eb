import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { openChdbStore } from '../chdb-store.js';

/** Reports to its parent how the store refuses a worker thread. */
openChdbStore({ dir: join(tmpdir(), 'tidepool-worker') }).then(
  () => parentPort!.postMessage('opened'),
  (error: Error) => parentPort!.postMessage(error.message),
);
