import type { Hex } from '#libs/core/ids.js';
import { keyedPages } from '#libs/pipeline/event-log/keyed-pages.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { decodePoolMark, isFurtherPart, poolOfPart } from '#libs/protocol/codec/pool-copy-codec.js';
import { POOL_MARK_KEY, type PoolCopyMark } from '#libs/protocol/pool-copy.js';
import type { TopicSpec } from '#libs/protocol/topics.js';

/** What a start has to know of the topic of pool copies besides the copies themselves. */
export interface PublishedCopies {
  readonly mark: PoolCopyMark | null;
  /** Keys of the parts after the first, of the few pools that have them. */
  readonly furtherParts: Map<Hex, Set<string>>;
}

const RECORDS_A_TURN = 1_000;

/** Reads the topic once, keeping none of the copies. */
export async function readPublishedCopies(
  log: EventLog,
  pools: TopicSpec,
  signal: AbortSignal,
): Promise<PublishedCopies> {
  let mark: PoolCopyMark | null = null;
  const furtherParts = new Map<Hex, Set<string>>();
  for await (const page of keyedPages(log, pools, { records: RECORDS_A_TURN })) {
    for (const { key, value } of page) {
      if (key === POOL_MARK_KEY) mark = value === null ? null : decodePoolMark(value);
      if (!isFurtherPart(key)) continue;
      const pool = poolOfPart(key);
      const keys = furtherParts.get(pool) ?? new Set();
      if (value === null) keys.delete(key);
      else furtherParts.set(pool, keys.add(key));
    }
    signal.throwIfAborted();
  }
  return { mark, furtherParts };
}

/** What the groups after a committed state say of the pools, for as long as it is not known what the topic holds. */
export class EarlyChanges {
  private readonly groups: { seq: number; height: number; hash: Hex; pools: Hex[] }[] = [];
  private pools = 0;

  constructor(private readonly from: { seq: number; height: number; hash: Hex }) {}

  /** False when they are too many to be kept. */
  note(seq: number, head: { height: number; hash: Hex }, pools: Hex[]): boolean {
    this.groups.push({ seq, height: head.height, hash: head.hash, pools });
    this.pools += pools.length;
    return this.pools <= MOST_POOLS;
  }

  /**
   * Pools that changed after a mark; null when the mark is older than the state or names a block that was not the head then. One
   * that is right was written after all copies of its seq, and what was published later is of pools that later groups name.
   */
  since(mark: PoolCopyMark): Set<Hex> | null {
    if (mark.seq < this.from.seq) return null;
    const after = this.groups.findIndex(({ seq }) => seq > mark.seq);
    const count = after < 0 ? this.groups.length : after;
    const { height, hash } = this.groups[count - 1] ?? this.from;
    if (height !== mark.height || hash !== mark.hash) return null;
    return new Set(this.groups.slice(count).flatMap(({ pools }) => pools));
  }
}

const MOST_POOLS = 500_000;
