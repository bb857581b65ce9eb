import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Hex } from '#libs/core/ids.js';
import type { EventLog } from '#libs/event-log/log.js';
import { decodeFactsGroup } from '#libs/projections/facts-codec.js';
import { peekEnvelope } from '#libs/protocol/codec/peek-envelope.js';
import { decodePoolMark, isFurtherPart, poolOfPart } from '#libs/protocol/codec/pool-copy-codec.js';
import { POOL_MARK_KEY, type PoolCopyMark } from '#libs/protocol/pool-copy.js';
import type { TopicSpec } from '#libs/protocol/topics.js';

/** What a topic of pool copies is known to hold: true copies of all pools, but for those that changed since its mark. */
export interface PublishedCopies {
  readonly changed: Set<Hex>;
  /** Keys of the parts after the first, of the few pools that have them. */
  readonly furtherParts: Map<Hex, Set<string>>;
}

const RECORDS_A_TURN = 1_000;
/** Groups before the mark among which the one of its block is: seals may have come after that. */
const GROUPS_BEFORE = 16;

/**
 * What the topic holds when facts reach `seq`; null when its mark cannot be believed: there is none, facts do not hold all that came
 * after it, or they have another block there, as after a restored folder. A mark that facts confirm was written after all copies of its seq,
 * and whatever was published later is of pools that facts name.
 */
export async function readPublishedCopies(
  log: EventLog,
  { pools, facts }: { pools: TopicSpec; facts: TopicSpec },
  seq: number,
  signal: AbortSignal,
): Promise<PublishedCopies | null> {
  const { mark, furtherParts } = await readKeys(log, pools, signal);
  const first = (await log.firstGroup(facts))?.seq ?? 0;
  if (mark === null || mark.seq > seq || mark.seq < first) return null;
  const changed = new Set<Hex>();
  const fromSeq = Math.max(first, mark.seq - GROUPS_BEFORE);
  let confirmed = false;
  for await (const batch of log.readGroups(facts, { fromSeq, signal, untilEnd: true })) {
    for (const record of batch) {
      if (record.seq <= mark.seq) {
        const { kind, height, hash, time } = peekEnvelope(record.value);
        if (kind === 'block' || kind === 'retract') {
          confirmed = height === mark.height && hash === mark.hash && time === mark.time;
        }
        continue;
      }
      if (!confirmed) return null;
      const group = decodeFactsGroup(record.value);
      if (group.kind !== 'block' && group.kind !== 'retract') continue;
      for (const { pool } of group.poolStates) changed.add(pool);
      if (group.kind === 'retract') for (const pool of group.removedPools) changed.add(pool);
    }
  }
  return confirmed && !signal.aborted ? { changed, furtherParts } : null;
}

async function readKeys(log: EventLog, pools: TopicSpec, signal: AbortSignal) {
  let mark: PoolCopyMark | null = null;
  const furtherParts = new Map<Hex, Set<string>>();
  for (let offset = 0n; ; ) {
    const records = await log.readKeyed(pools, 0, offset, RECORDS_A_TURN);
    if (records.length === 0) return { mark, furtherParts };
    offset = records.at(-1)!.offset + 1n;
    for (const { key, value } of records) {
      if (key === POOL_MARK_KEY) mark = value === null ? null : decodePoolMark(value);
      if (!isFurtherPart(key)) continue;
      const pool = poolOfPart(key);
      const keys = furtherParts.get(pool) ?? new Set();
      if (value === null) keys.delete(key);
      else furtherParts.set(pool, keys.add(key));
    }
    await nextTurn();
    signal.throwIfAborted();
  }
}
