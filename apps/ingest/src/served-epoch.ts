import type { EventLog } from '#libs/bus/log.js';
import { LogBrokenError } from '#libs/core/errors.js';
import { pause } from '#libs/platform/backoff.js';
import { epochsTopic } from '#libs/protocol/topics.js';

/** Which epoch of a chain's log is served, and under which fold version: one key of the compacted topic `epochs`. */
export interface ServedEpoch {
  epoch: number;
  foldVersion: number;
}

export async function readServedEpoch(log: EventLog, chain: string): Promise<ServedEpoch | null> {
  const value = (await log.readCompacted(epochsTopic)).get(chain);
  if (value === undefined) return null;
  const served = JSON.parse(Buffer.from(value).toString('utf8')) as ServedEpoch;
  if (!Number.isSafeInteger(served?.epoch) || !Number.isSafeInteger(served?.foldVersion)) {
    throw new LogBrokenError(`${epochsTopic.name}: the value of ${chain} is not readable`);
  }
  return served;
}

/** Waits until the source has opened an epoch. Null when the signal aborts first. */
export async function waitForEpoch(log: EventLog, chain: string, signal: AbortSignal): Promise<ServedEpoch | null> {
  await log.ensureTopics([epochsTopic]);
  while (!signal.aborted) {
    const served = await readServedEpoch(log, chain);
    if (served !== null) return served;
    await pause(200, signal);
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
  try {
    await work(both);
  } finally {
    own.abort();
    await watch;
  }
  return switched;
}
