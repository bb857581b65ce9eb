import type { BlockRef, GroupMark } from '#libs/chain/chains/source-port.js';
import { LogBrokenError } from '#libs/core/errors.js';
import type { EventLog, SequencedRecord } from '#libs/pipeline/event-log/log.js';
import type { KeptTail, PublishedBlock } from '#libs/pipeline/state/saved/tail-file.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { peekEnvelope } from '#libs/protocol/codec/peek-envelope.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import { countUpTo } from './heights.js';

const FIRST_WINDOW = 64;
const LARGEST_WINDOW = 4096;

/**
 * Reads a blocks topic backwards from its end and finds the blocks that survive all retractions after them, plus the
 * newest seal that is valid. Reads no further than asked: a start in a long log costs the unsealed part of it, and one that
 * knows the place of a seal reads nothing below that.
 */
export class LogTail {
  /** Surviving blocks, ascending, each the parent of the next, up to the head. Reaches further down with every extension. */
  readonly blocks: PublishedBlock[] = [];
  /** The block before the first one of the epoch; null until the epoch group was reached. */
  base: BlockRef | null = null;
  sealedHeight: number | null = null;
  finalizedHeight = -1;

  /** Groups below this seq were not looked at yet. */
  private unread: number;
  private window = FIRST_WINDOW;
  /** Lowest head that a retraction read so far went back to: what is above it and older is dead. */
  private ceiling = Number.POSITIVE_INFINITY;

  private constructor(
    private readonly log: EventLog,
    private readonly topic: TopicSpec,
    readonly lastSeq: number,
    readonly last: GroupMark,
  ) {
    this.unread = lastSeq + 1;
  }

  /** Reads back to the newest seal, or to the start where there is none. */
  static async open(log: EventLog, topic: TopicSpec, last: SequencedRecord): Promise<LogTail> {
    const { kind, height, hash } = peekEnvelope(last.value);
    const tail = new LogTail(log, topic, last.seq, { kind, height, hash });
    while (tail.unread > 0 && !tail.reachesSeal()) await tail.readWindow();
    return tail;
  }

  /**
   * Reads from a sealed block that was kept up to the end. Null when the log does not hold that block there, or took it
   * back: then what was kept says nothing.
   */
  static async resume(log: EventLog, topic: TopicSpec, last: SequencedRecord, kept: KeptTail): Promise<LogTail | null> {
    const { sealed } = kept;
    if (sealed.seq > last.seq) return null;
    const { kind, height, hash } = peekEnvelope(last.value);
    const tail = new LogTail(log, topic, last.seq, { kind, height, hash });
    const records = await tail.read(sealed.seq, last.seq + 1);
    const [first, ...rest] = records;
    if (first === undefined || !isBlock(first, sealed)) return null;
    tail.blocks.push(sealed);
    tail.base = kept.base;
    tail.sealedHeight = sealed.height;
    tail.finalizedHeight = kept.finalizedHeight;
    tail.unread = sealed.seq;
    for (const record of rest) if (!tail.follow(record)) return null;
    return tail;
  }

  /** Reads on until the surviving block at that height is known; false when the log does not hold it. */
  async extendTo(height: number): Promise<boolean> {
    while (this.unread > 0 && !(this.blocks.length > 0 && this.blocks[0]!.height <= height)) {
      if (!(await this.readWindow())) break;
    }
    return this.blocks.length > 0 && this.blocks[0]!.height <= height;
  }

  private reachesSeal(): boolean {
    return this.sealedHeight !== null && this.blocks.length > 0 && this.blocks[0]!.height <= this.sealedHeight;
  }

  private async readWindow(): Promise<boolean> {
    const to = this.unread;
    const from = Math.max(0, to - this.window);
    this.window = Math.min(this.window * 2, LARGEST_WINDOW);
    const records = await this.read(from, to);
    if (records.length === 0) {
      this.unread = 0; // truncated below here
      return false;
    }
    for (let i = records.length - 1; i >= 0; i--) this.take(records[i]!);
    this.unread = records[0]!.seq > from ? 0 : from;
    return true;
  }

  /** Groups from..to-1, as far as the log still holds them. */
  private async read(from: number, to: number): Promise<SequencedRecord[]> {
    try {
      return await this.readFrom(from, to);
    } catch (error) {
      const first = error instanceof LogBrokenError ? await this.log.firstGroup(this.topic) : null;
      if (first === null || first.seq <= from) throw error;
      return first.seq < to ? this.readFrom(first.seq, to) : [];
    }
  }

  private async readFrom(from: number, to: number): Promise<SequencedRecord[]> {
    const records: SequencedRecord[] = [];
    const abort = new AbortController();
    for await (const batch of this.log.readGroups(this.topic, {
      fromSeq: from,
      signal: abort.signal,
      untilEnd: true,
    })) {
      for (const record of batch) if (record.seq < to) records.push(record);
      if (batch.length > 0 && batch[batch.length - 1]!.seq >= to - 1) break;
    }
    abort.abort();
    return records;
  }

  /** One group, oldest first; false when it takes back the block that was started from. */
  private follow(record: SequencedRecord): boolean {
    const { kind, height, hash, parentHash, time } = peekEnvelope(record.value);
    const head = this.blocks[this.blocks.length - 1]!;
    if (kind === 'block') {
      if (height <= head.height || parentHash !== head.hash) {
        throw new LogBrokenError(`${this.topic.name}: block ${height} does not follow block ${head.height}`);
      }
      this.blocks.push({ seq: record.seq, height, hash, parentHash, time });
    } else if (kind === 'retract') {
      const [first] = this.blocks;
      if (height < first!.height) return false;
      this.blocks.splice(countUpTo(this.blocks, height));
      this.sealedHeight = Math.min(this.sealedHeight!, height);
      this.finalizedHeight = Math.min(this.finalizedHeight, height);
    } else if (kind === 'finalize') {
      const group = decodeBlocksGroup(record.value);
      this.sealedHeight = height;
      if (group.kind === 'finalize') this.finalizedHeight = group.finalizedHeight;
    }
    return true;
  }

  /** One group, newest first. */
  private take(record: SequencedRecord): void {
    const { kind, height, hash, parentHash, time } = peekEnvelope(record.value);
    const seal = (sealed: number): void => {
      this.sealedHeight ??= Math.min(sealed, this.ceiling);
    };
    switch (kind) {
      case 'block': {
        const next = this.blocks[0];
        if (height > this.ceiling || (next && height >= next.height)) return;
        if (next && next.parentHash !== hash) {
          throw new LogBrokenError(`${this.topic.name}: block ${next.height} does not follow block ${height}`);
        }
        this.blocks.unshift({ seq: record.seq, height, hash, parentHash, time });
        return;
      }
      case 'retract':
        this.ceiling = Math.min(this.ceiling, height);
        return;
      case 'finalize':
        if (this.sealedHeight === null) {
          const group = decodeBlocksGroup(record.value);
          if (group.kind === 'finalize') this.finalizedHeight = Math.min(group.finalizedHeight, this.ceiling);
        }
        seal(height);
        return;
      case 'epoch':
        this.base = { height, hash, parentHash, time };
        seal(height);
        return;
    }
  }
}

function isBlock(record: SequencedRecord, block: PublishedBlock): boolean {
  if (record.seq !== block.seq) return false;
  const { kind, height, hash, parentHash, time } = peekEnvelope(record.value);
  return (
    kind === 'block' &&
    height === block.height &&
    hash === block.hash &&
    parentHash === block.parentHash &&
    time === block.time
  );
}
