import { LogBrokenError, TidepoolError } from '#libs/core/errors.js';
import { keyedPages } from '#libs/pipeline/event-log/keyed-pages.js';
import type { EventLog, KeyedRecord } from '#libs/pipeline/event-log/log.js';
import {
  decodePart,
  decodePoolCopy,
  decodePoolMark,
  isFurtherPart,
  partKey,
} from '#libs/protocol/codec/pool-copy-codec.js';
import { POOL_MARK_KEY, type PoolCopyMark } from '#libs/protocol/pool-copy.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import type { PoolBook } from './pool-book.js';

/** Copies read and taken over in one turn of the event loop. */
const SLICE = 1_000;

/** The log cannot give the pools now but will: asked again after a pause. */
class PoolsNotYetError extends TidepoolError {
  constructor(reason: string) {
    super('pools_not_yet', reason);
  }
}

/**
 * A new book from the copies of the pools, and the seq that `facts` must be read up to before the book may be read.
 *
 * Copies are replaced one append after the other, so some may be of later groups than the mark. Each is correct at its own
 * seq. They are read in the order of the topic to its end, so that of a pool that is replaced meanwhile the later copy comes
 * later. The end of facts is asked after the copies were read, and facts held the group of a copy before the copy was
 * appended. So at that end no pool is ahead of the book, no removed pool is left, and none is missing.
 */
export async function loadPoolCopy(
  log: EventLog,
  topics: { pools: TopicSpec; facts: TopicSpec },
  create: () => PoolBook,
  signal: AbortSignal,
): Promise<{ book: PoolBook; goal: number }> {
  const { pools, facts } = topics;
  const book = create();
  try {
    const copies = new CopyReader(book, pools);
    for await (const records of keyedPages(log, pools, { records: SLICE })) {
      for (const record of records) copies.take(record);
      await book.settle();
      signal.throwIfAborted();
    }
    const goal = (await log.lastGroup(facts))?.seq ?? -1;
    const first = (await log.firstGroup(facts))?.seq ?? 0;
    const { mark } = copies;
    const from = mark === null ? 0 : mark.seq + 1;
    if (mark !== null && mark.seq > goal) {
      throw new LogBrokenError(`${pools.name} reaches seq ${mark.seq}, ${facts.name} only ${goal}`);
    }
    if (from < first) {
      throw new PoolsNotYetError(`${facts.name} starts at seq ${first} and ${pools.name} reaches only ${from - 1}`);
    }
    if (mark === null) {
      // Copies without a mark are of a publication that never came to its end.
      await book.close();
      return { book: create(), goal };
    }
    copies.end();
    const { height, hash, time } = mark;
    book.startAt(mark.seq, { height, hash, time });
    return { book, goal };
  } catch (error) {
    await book.close();
    throw error;
  }
}

/** Takes the records of the topic over as they come. Pools of more than one part wait for the end: only then is it known which parts are one copy. */
class CopyReader {
  mark: PoolCopyMark | null = null;
  /** Newest values of keys that belong to pools of several parts. */
  private readonly parts = new Map<string, Uint8Array>();

  constructor(
    private readonly book: PoolBook,
    private readonly topic: TopicSpec,
  ) {}

  take({ key, value }: KeyedRecord): void {
    if (key === POOL_MARK_KEY) {
      this.mark = value === null ? null : decodePoolMark(value);
      return;
    }
    this.parts.delete(key);
    if (isFurtherPart(key)) {
      if (value !== null) this.parts.set(key, value);
    } else if (value === null) {
      this.book.unload(key);
    } else if (decodePart(value).parts > 1) {
      this.book.unload(key);
      this.parts.set(key, value);
    } else {
      this.load(key, value);
    }
  }

  end(): void {
    for (const [key, value] of this.parts) if (!isFurtherPart(key)) this.load(key, value);
    this.parts.clear();
  }

  private load(key: string, value: Uint8Array): void {
    const copy = decodePoolCopy(key, value, (index) => this.parts.get(partKey(key, index)));
    if (copy === null) throw new PoolsNotYetError(`${this.topic.name}: the copy of ${key} was being replaced`);
    this.book.load(copy.record, copy.state, copy.seq);
  }
}
