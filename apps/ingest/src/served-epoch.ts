import { LogBrokenError } from '#libs/core/errors.js';
import type { Append, EventLog } from '#libs/event-log/log.js';
import { readServedEpoch, type ServedEpoch } from '#libs/event-log/served-epoch.js';
import { pause } from '#libs/platform/backoff.js';
import { epochsTopic } from '#libs/protocol/topics.js';

export { readEpochRecords, readServedEpoch, type ServedEpoch, sameServed } from '#libs/event-log/served-epoch.js';

/**
 * An epoch whose log cannot be folded any further, at the named group: only a new epoch, built from the chain's nodes,
 * holds the chain from there on (protocol rule 12). The fold writes it, the source acts on it.
 */
export interface EndedEpoch {
  epoch: number;
  seq: number;
  reason: string;
}

const endedKey = (chain: string): string => `${chain}/ended`;

export function endedEpochRecord(chain: string, ended: EndedEpoch): Append {
  return { topic: epochsTopic, key: endedKey(chain), value: Buffer.from(JSON.stringify(ended)) };
}

export async function readEndedEpoch(log: EventLog, chain: string): Promise<EndedEpoch | null> {
  const value = (await log.readCompacted(epochsTopic)).get(endedKey(chain));
  if (value === undefined) return null;
  const ended = JSON.parse(Buffer.from(value).toString('utf8')) as EndedEpoch;
  if (!Number.isSafeInteger(ended?.epoch) || !Number.isSafeInteger(ended?.seq) || typeof ended?.reason !== 'string') {
    throw new LogBrokenError(`${epochsTopic.name}: the value of ${endedKey(chain)} is not readable`);
  }
  return ended;
}

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
