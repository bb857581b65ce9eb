import { isDeepStrictEqual } from 'node:util';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { decodePoolCopy, decodePoolMark, isFurtherPart, partKey } from '#libs/protocol/codec/pool-copy-codec.js';
import { POOL_MARK_KEY, type PoolCopy, type PoolCopyMark } from '#libs/protocol/pool-copy.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import type { PlainPools } from './book-state.js';

export interface ReadCopies {
  mark: PoolCopyMark | null;
  copies: PoolCopy[];
  /** Parts that belong to no copy. */
  loose: number;
}

export async function readCopies(log: EventLog, topic: TopicSpec): Promise<ReadCopies> {
  const records = await log.readCompacted(topic);
  const value = records.get(POOL_MARK_KEY);
  const copies: PoolCopy[] = [];
  let parts = 0;
  for (const [key, first] of records) {
    if (key === POOL_MARK_KEY || isFurtherPart(key)) continue;
    const copy = decodePoolCopy(key, first, (index) => {
      parts++;
      return records.get(partKey(key, index));
    });
    if (copy === null) throw new Error(`the copy of ${key} lacks a part`);
    copies.push(copy);
    parts++;
  }
  const loose = records.size - parts - (value === undefined ? 0 : 1);
  return { mark: value === undefined ? null : decodePoolMark(value), copies, loose };
}

/** What must hold of the topic at any moment: `states[seq]` are the pools after group `seq` of facts. */
export function checkCopies({ mark, copies }: ReadCopies, states: readonly PlainPools[], factsEnd: number): void {
  const at = (seq: number, pool: string) => states[seq]!.find(({ record }) => record.pool === pool);
  for (const { seq, record, state } of copies) {
    if (seq > factsEnd) throw new Error(`a copy of seq ${seq}, facts end at ${factsEnd}`);
    if (!isDeepStrictEqual(at(seq, record.pool), { record, state })) {
      throw new Error(`the copy of ${record.pool} is not what it was at seq ${seq}`);
    }
  }
  if (mark === null) return;
  if (mark.seq > factsEnd) throw new Error(`the mark is at seq ${mark.seq}, facts end at ${factsEnd}`);
  const held = new Map(copies.map((copy) => [copy.record.pool, copy]));
  for (const pool of states[mark.seq]!) {
    const copy = held.get(pool.record.pool);
    // Taken out early: it has to be gone at the end of facts.
    if (copy === undefined) {
      const gone = states
        .slice(mark.seq, factsEnd + 1)
        .some((state) => !state.some((p) => p.record.pool === pool.record.pool));
      if (!gone) throw new Error(`${pool.record.pool} has no copy and never went`);
      continue;
    }
    const { record, state } = copy;
    if (copy.seq < mark.seq && !isDeepStrictEqual(pool, { record, state })) {
      throw new Error(`the copy of ${record.pool} is of seq ${copy.seq} and differs at the mark ${mark.seq}`);
    }
  }
  for (const { seq, record } of copies) {
    if (seq <= mark.seq && at(mark.seq, record.pool) === undefined) {
      throw new Error(`${record.pool} has a copy of seq ${seq} and was gone at the mark ${mark.seq}`);
    }
  }
}
