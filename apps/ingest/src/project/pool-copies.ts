import type { Hex } from '#libs/core/ids.js';
import { TimeBudget } from '#libs/core/time-budget.js';
import type { Append, EventLog } from '#libs/pipeline/event-log/log.js';
import type { ChainFold } from '#libs/pipeline/fold/chain-fold.js';
import { peekEnvelope } from '#libs/protocol/codec/peek-envelope.js';
import { encodePoolCopy, encodePoolMark, isFurtherPart, samePoolPart } from '#libs/protocol/codec/pool-copy-codec.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { POOL_MARK_KEY, type PoolCopyMark } from '#libs/protocol/pool-copy.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import { EarlyChanges, readPublishedCopies } from './published-copies.js';

export interface PoolCopiesOptions {
  /** The copies are published again when this many blocks or events went by since the last time, */
  everyBlocks: number;
  everyEvents: number;
  /** but not sooner than this: a run over history publishes what it passed through once, not a thousand times. */
  pauseMs: number;
  /** Bytes and records of one append. */
  chunkBytes: number;
  chunkRecords: number;
}

const defaultPoolCopies: PoolCopiesOptions = {
  everyBlocks: 2_000,
  everyEvents: 500_000,
  pauseMs: 60_000,
  chunkBytes: 4 << 20,
  chunkRecords: 2_000,
};

/** Pools that an orderly end waits for. */
const MOST_AT_END = 5_000;

/** Appends under the fence of the fold's writer; resolves when it is durable. */
export type AppendKeyed = (records: Append[]) => Promise<void>;

/**
 * Publishes the state of the pools in the compacted topic `pools.*`, for those who do not want to read facts from their
 * beginning.
 *
 * A copy says what a pool is after group `seq` of facts, and facts hold that group before the copy is appended. Facts are
 * only ever appended to, retractions too, so a copy stays true whatever happens to its block: no block has to be sealed
 * first, and a retraction below the mark repairs nothing but the reader's own book, as any other group does.
 *
 * The mark comes with the last copies, never before them. Killed in between, the topic has the old mark, some copies of
 * before it and some that are newer. Who starts from that reads facts from the old mark on and lets no group change a
 * copy that is newer than the group. It shows its book at the end that facts have then, which is above every copy: by then
 * each pool was either copied whole or brought there by its facts; a pool that went and was taken out of the topic early
 * is gone at that end too, and one that came back is in facts with its whole state.
 *
 * After a start the mark is believed where it is not older than the committed state and names the head of its seq: what may differ
 * since then is what the groups say that are folded again. Else nothing is believed of the topic: all that it holds is compared with
 * the fold, and what differs or should not be there is replaced.
 *
 * However many pools there are, others have their turn after some of them.
 */
export class PoolCopies {
  /** Pools that changed since the mark; null while it is not known what the topic holds. */
  private changed: Set<Hex> | null = null;
  private head: Omit<PoolCopyMark, 'seq'> | null = null;
  /** Published when the fold has come so far; null while nothing is due. */
  private goal: number | null = null;
  /** Keys of the parts after the first, of the few pools that have them. */
  private furtherParts = new Map<Hex, Set<string>>();
  private restoredAt: number | null = null;
  /** Until it is known what the topic holds. */
  private early: EarlyChanges | null = null;
  private blocksSince = 0;
  private eventsSince = 0;
  private publishedAt = Number.NEGATIVE_INFINITY;
  private marked = -1;
  private readonly options: PoolCopiesOptions;

  constructor(
    private readonly log: EventLog,
    private readonly topics: { pools: TopicSpec; blocks: TopicSpec; facts: TopicSpec },
    private readonly append: AppendKeyed,
    options: Partial<PoolCopiesOptions> = {},
  ) {
    this.options = { ...defaultPoolCopies, ...options };
  }

  get topic(): TopicSpec {
    return this.topics.pools;
  }

  /** Seq of the last mark of this run; −1 before. */
  get mark(): number {
    return this.marked;
  }

  /** The fold was restored after this group of facts, a block. */
  standAt(position: { seq: number; height: number; hash: Hex }): void {
    this.restoredAt = position.seq;
    this.early = new EarlyChanges(position);
  }

  /** Every group that is folded, in order. */
  note(facts: FactsGroup, events: number): void {
    if (facts.kind === 'finalize') return;
    if (facts.kind === 'epoch') {
      this.head = null;
      return;
    }
    this.head = { height: facts.height, hash: facts.hash, time: facts.time };
    this.blocksSince++;
    this.eventsSince += events;
    if (this.changed === null && this.early === null) return;
    const pools = facts.poolStates.map(({ pool }) => pool);
    if (facts.kind === 'retract') pools.push(...facts.removedPools);
    if (this.early?.note(facts.seq, facts, pools) === false) this.early = null;
    if (this.changed !== null) for (const pool of pools) this.changed.add(pool);
  }

  /** The fold begins to follow, after the group `seq`: the copies are due at the end that its input has now. */
  async begin(seq: number, signal: AbortSignal): Promise<void> {
    this.goal = await this.end();
    const { early } = this;
    this.early = null;
    if (early === null) return;
    const { mark, furtherParts } = await readPublishedCopies(this.log, this.topics.pools, signal);
    if (mark === null || mark.seq > seq) return;
    this.changed = early.since(mark);
    this.furtherParts = furtherParts;
  }

  /** A commit of the state is about to begin: with a mark that is not older, the next start need not compare. */
  async noteCommit(): Promise<void> {
    if (performance.now() - this.publishedAt >= this.options.pauseMs) this.goal ??= await this.end();
  }

  /** To be called when `facts` hold all that was folded. */
  async publishWhenDue(fold: ChainFold, signal: AbortSignal): Promise<void> {
    const seq = fold.position?.seq ?? -1;
    if (this.goal === null && this.isDue()) this.goal = await this.end();
    if (this.goal === null || seq < this.goal) return;
    this.head ??= await this.restoredHead();
    if (this.head === null) return;
    const complete =
      this.changed === null ? await this.publishAll(fold, seq, signal) : await this.publishChanged(fold, seq, signal);
    if (complete) this.noteComplete(seq);
  }

  /** An orderly end: the state is about to be committed as far as it can be. `facts` hold all that was folded. */
  async publishAtEnd(fold: ChainFold): Promise<void> {
    const seq = fold.position?.seq ?? -1;
    if (this.changed === null || this.changed.size > MOST_AT_END || this.head === null || seq === this.marked) return;
    const { signal } = new AbortController();
    if (await this.publishChanged(fold, seq, signal)) this.noteComplete(seq);
  }

  private noteComplete(seq: number): void {
    this.changed = new Set();
    this.goal = null;
    this.blocksSince = 0;
    this.eventsSince = 0;
    this.publishedAt = performance.now();
    this.marked = seq;
  }

  /** No block came since the fold was restored: the head is the block of the committed state. */
  private async restoredHead(): Promise<PoolCopies['head']> {
    if (this.restoredAt === null) return null;
    const { facts } = this.topics;
    const seq = this.restoredAt;
    const { signal } = new AbortController();
    for await (const batch of this.log.readGroups(facts, { fromSeq: seq, signal, untilEnd: true, maxGroups: 1 })) {
      const { height, hash, time } = peekEnvelope(batch[0]!.value);
      return { height, hash, time };
    }
    return null;
  }

  private isDue(): boolean {
    const { everyBlocks, everyEvents, pauseMs } = this.options;
    if (this.blocksSince < everyBlocks && this.eventsSince < everyEvents) return false;
    return performance.now() - this.publishedAt >= pauseMs;
  }

  private async end(): Promise<number> {
    return (await this.log.lastGroup(this.topics.blocks))?.seq ?? -1;
  }

  private async publishChanged(fold: ChainFold, seq: number, signal: AbortSignal): Promise<boolean> {
    const out = new Chunks(this.append, this.options, signal);
    const budget = new TimeBudget();
    for (const id of this.changed!) {
      if (budget.isOver()) await budget.next();
      const parts = this.partsOf(fold, id, seq) ?? [{ topic: this.topic, key: id, value: null }];
      if (!(await out.add([...parts, ...this.noteFurtherParts(id, parts)]))) return false;
    }
    return out.end(this.markAt(seq));
  }

  /** Compares the topic with the fold; the parts of a pool are replaced together or not at all. */
  private async publishAll(fold: ChainFold, seq: number, signal: AbortSignal): Promise<boolean> {
    const out = new Chunks(this.append, this.options, signal);
    const held = await this.log.readCompacted(this.topic);
    held.delete(POOL_MARK_KEY);
    const budget = new TimeBudget();
    for (const id of fold.poolIds()) {
      if (budget.isOver()) await budget.next();
      const parts = this.partsOf(fold, id, seq)!;
      this.noteFurtherParts(id, parts);
      let same = true;
      for (const { key, value } of parts) {
        const before = held.get(key);
        same &&= before !== undefined && samePoolPart(before, value);
        held.delete(key);
      }
      if (!same && !(await out.add(parts))) return false;
    }
    for (const key of held.keys()) if (!(await out.add([{ topic: this.topic, key, value: null }]))) return false;
    return out.end(this.markAt(seq));
  }

  /** Notes which further parts the topic has of a pool from now on; answers the removal of those that its copy has no more. */
  private noteFurtherParts(id: Hex, parts: readonly PoolAppend<Uint8Array | null>[]): PoolAppend<null>[] {
    const before = this.furtherParts.get(id) ?? new Set<string>();
    const now = new Set(parts.map(({ key }) => key).filter(isFurtherPart));
    if (now.size > 0) this.furtherParts.set(id, now);
    else this.furtherParts.delete(id);
    return [...before].filter((key) => !now.has(key)).map((key) => ({ topic: this.topic, key, value: null }));
  }

  private partsOf(fold: ChainFold, id: Hex, seq: number): PoolAppend[] | null {
    const pool = fold.pool(id);
    if (pool === null) return null;
    return encodePoolCopy({ seq, ...pool }).map((part) => ({ topic: this.topic, ...part }));
  }

  private markAt(seq: number): PoolAppend {
    return { topic: this.topic, key: POOL_MARK_KEY, value: encodePoolMark({ seq, ...this.head! }) };
  }
}

type PoolAppend<Value = Uint8Array> = { topic: TopicSpec; key: string; value: Value };

/** Gathers records into appends of bounded size; what is added together is appended together. */
class Chunks {
  private records: Append[] = [];
  private bytes = 0;

  constructor(
    private readonly append: AppendKeyed,
    private readonly limits: PoolCopiesOptions,
    private readonly signal: AbortSignal,
  ) {}

  /** False when the signal aborted: what is left is not appended. */
  async add(records: PoolAppend<Uint8Array | null>[]): Promise<boolean> {
    for (const record of records) {
      this.records.push(record);
      this.bytes += record.key.length + (record.value?.length ?? 0);
    }
    if (this.bytes < this.limits.chunkBytes && this.records.length < this.limits.chunkRecords) return true;
    return this.flush();
  }

  end(mark: PoolAppend): Promise<boolean> {
    this.records.push(mark);
    return this.flush();
  }

  private async flush(): Promise<boolean> {
    if (this.signal.aborted) return false;
    const { records } = this;
    this.records = [];
    this.bytes = 0;
    await this.append(records);
    return true;
  }
}
