import { LogBrokenError } from '#libs/core/errors.js';
import { epochsTopic } from '#libs/protocol/topics.js';
import type { EventLog } from './log.js';

/** Which epoch of a chain's log is served, and under which fold version: one key of the compacted topic `epochs`. */
export interface ServedEpoch {
  epoch: number;
  foldVersion: number;
}

/** Null until a source has opened an epoch. The topic must exist. */
export async function readServedEpoch(log: EventLog, chain: string): Promise<ServedEpoch | null> {
  const value = (await log.readCompacted(epochsTopic)).get(chain);
  if (value === undefined) return null;
  const served = JSON.parse(Buffer.from(value).toString('utf8')) as ServedEpoch;
  if (!Number.isSafeInteger(served?.epoch) || !Number.isSafeInteger(served?.foldVersion)) {
    throw new LogBrokenError(`${epochsTopic.name}: the value of ${chain} is not readable`);
  }
  return served;
}

export const sameServed = (a: ServedEpoch | null, b: ServedEpoch | null): boolean =>
  a === null || b === null ? a === b : a.epoch === b.epoch && a.foldVersion === b.foldVersion;
