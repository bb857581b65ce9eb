import { readServedEpoch, type ServedEpoch } from '#libs/pipeline/epochs/served-epoch.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { pause } from '#libs/platform/backoff.js';
import { epochsTopic } from '#libs/protocol/topics.js';

export {
  type EndedEpoch,
  endedEpochRecord,
  readEndedEpoch,
  readEpochRecords,
  readServedEpoch,
  type ServedEpoch,
  sameServed,
} from '#libs/pipeline/epochs/served-epoch.js';

/** Waits until the source has opened an epoch. Null when the signal aborts first. */
export async function waitForEpoch(
  log: EventLog,
  chain: string,
  signal: AbortSignal,
  everyMs = 200,
): Promise<ServedEpoch | null> {
  await log.ensureTopics([epochsTopic]);
  while (!signal.aborted) {
    const served = await readServedEpoch(log, chain);
    if (served !== null) return served;
    await pause(everyMs, signal);
  }
  return null;
}

/**
 * Runs `work` under a signal that also aborts when `changed` answers true, asked every `everyMs`. Returns whether it was
 * the change that ended it.
 */
export async function runUntilChanged(
  work: (signal: AbortSignal) => Promise<void>,
  changed: () => Promise<boolean>,
  signal: AbortSignal,
  everyMs = 1_000,
): Promise<boolean> {
  const own = new AbortController();
  const both = AbortSignal.any([signal, own.signal]);
  let switched = false;
  const watch = (async () => {
    while (!both.aborted) {
      await pause(everyMs, both);
      if (both.aborted || !(await changed())) continue;
      switched = true;
      own.abort();
    }
  })();
  // A look that fails ends the work too; the failure comes out below.
  watch.catch(() => own.abort());
  try {
    await work(both);
  } finally {
    own.abort();
    await watch;
  }
  return switched;
}

export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
