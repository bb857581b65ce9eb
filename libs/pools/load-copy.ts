import { setImmediate as nextTurn } from 'node:timers/promises';
import { LogBrokenError, TidepoolError } from '#libs/core/errors.js';
import type { EventLog } from '#libs/event-log/log.js';
import { decodePoolCopy, decodePoolMark, isFurtherPart, partKey } from '#libs/protocol/codec/pool-copy-codec.js';
import { POOL_MARK_KEY } from '#libs/protocol/pool-copy.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import { PoolBook } from './pool-book.js';

/** Copies taken over in one turn of the event loop. */
const SLICE = 500;

/** The log cannot give the pools now but will: asked again after a pause. */
export class PoolsNotYetError extends TidepoolError {
  constructor(reason: string) {
    super('pools_not_yet', reason);
  }
}

/**
 * A new book from the copies of the pools, and the seq that `facts` must be read up to before the book may be read.
 *
 * Copies are replaced one append after the other, so some may be of later groups than the mark. Each is correct at its own
 * seq. The end of facts is asked after the copies were read, and facts held the group of a copy before the copy was
 * appended. So at that end no pool is ahead of the book, no removed pool is left, and none is missing.
 */
export async function loadPoolCopy(
  log: EventLog,
  topics: { pools: TopicSpec; facts: TopicSpec },
  signal: AbortSignal,
): Promise<{ book: PoolBook; goal: number }> {
  const { pools, facts } = topics;
  const copies = await log.readCompacted(pools);
  const goal = (await log.lastGroup(facts))?.seq ?? -1;
  const first = (await log.firstGroup(facts))?.seq ?? 0;
  const book = new PoolBook();
  const value = copies.get(POOL_MARK_KEY);
  const mark = value === undefined ? null : decodePoolMark(value);
  const from = mark === null ? 0 : mark.seq + 1;
  if (mark !== null && mark.seq > goal) {
    throw new LogBrokenError(`${pools.name} reaches seq ${mark.seq}, ${facts.name} only ${goal}`);
  }
  if (from < first) {
    throw new PoolsNotYetError(`${facts.name} starts at seq ${first} and ${pools.name} reaches only ${from - 1}`);
  }
  if (mark === null) return { book, goal };
  let taken = 0;
  for (const [key, part] of copies) {
    if (key === POOL_MARK_KEY || isFurtherPart(key)) continue;
    const copy = decodePoolCopy(key, part, (index) => copies.get(partKey(key, index)));
    if (copy === null) throw new PoolsNotYetError(`${pools.name}: the copy of ${key} was being replaced`);
    book.load(copy.record, copy.state, copy.seq);
    if (++taken % SLICE !== 0) continue;
    await nextTurn();
    signal.throwIfAborted();
  }
  const { height, hash, time } = mark;
  book.startAt(mark.seq, { height, hash, time });
  return { book, goal };
}
