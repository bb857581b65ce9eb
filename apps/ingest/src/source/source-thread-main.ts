import { parentPort, workerData } from 'node:worker_threads';
import { openLogAt } from '#libs/app/backends/open-log.js';
import { chainIds } from '#libs/chain/chains/registry.js';
import { TidepoolError } from '#libs/core/errors.js';
import { guardedLog } from '../lease/guarded-log.js';
import { createSourceStage } from './source-stage.js';
import type { SourceThreadInput, SourceThreadMessage } from './source-thread.js';

/** Body of the source thread: its own connection to the log, the stage, and messages about both. */
const STATUS_EVERY_MS = 200;

const { log: address, chain: values, term, standsBy, ...input } = workerData as SourceThreadInput;
const port = parentPort!;
const say = (message: SourceThreadMessage): void => port.postMessage(message);
const stop = new AbortController();
port.on('message', () => stop.abort());

try {
  const opened = await openLogAt(address);
  const log = term === null ? opened : guardedLog(opened, values.slug, () => term);
  const stage = createSourceStage({
    ...input,
    log,
    chain: { ...values, ids: chainIds[values.family] },
    logger: {
      info: (fields, message) => say({ kind: 'log', level: 'info', fields: plain(fields), message }),
      warn: (fields, message) => say({ kind: 'log', level: 'warn', fields: plain(fields), message }),
    },
  });
  let told = '';
  const telling = setInterval(() => {
    const status = stage.status();
    const text = JSON.stringify(status);
    if (text === told) return;
    told = text;
    say({ kind: 'status', status });
  }, STATUS_EVERY_MS);
  try {
    await (standsBy ? stage.standBy!(stop.signal) : stage.run(stop.signal));
    say({ kind: 'end', error: null });
  } finally {
    clearInterval(telling);
    say({ kind: 'status', status: stage.status() });
    await log.close();
  }
} catch (error) {
  const code = error instanceof TidepoolError ? error.code : 'source_failed';
  say({ kind: 'end', error: { code, message: error instanceof Error ? error.message : String(error) } });
}
// What a connection to a lost broker left open must not keep the thread.
process.exit();

/** Errors are cloned without their class and cause otherwise. */
function plain(fields: object): object {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) shown[name] = value instanceof Error ? value.message : value;
  return shown;
}
