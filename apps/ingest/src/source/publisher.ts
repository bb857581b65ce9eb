import type { Append, EventLog, LogWriter } from '#libs/bus/log.js';
import type { ChainSpec } from '#libs/chains/chain-spec.js';
import type { BlockRef, GroupMark, PublishedChain, SourceItem, SourceObserver } from '#libs/chains/source-port.js';
import { FencedError, LogBrokenError, TidepoolError } from '#libs/core/errors.js';
import type { Steps } from '#libs/core/steps.js';
import type { BlocksGroup, ReferenceSet } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup, encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { keyedRetractionKey, keyedRetractionValue } from '#libs/protocol/codec/keyed-json.js';
import { blocksTopic, retractionsTopic, type TopicSpec } from '#libs/protocol/topics.js';
import { LogTail, type PublishedBlock } from './log-tail.js';

/** Nobody knows whether the append happened: this writer is done, the log has to be read again (protocol rule 2). */
export class UnknownOutcomeError extends TidepoolError {
  constructor(cause: unknown) {
    super('unknown_outcome', `append with unknown outcome: ${(cause as Error)?.message ?? cause}`, { cause });
  }
}

export interface PublisherDeps {
  log: EventLog;
  chain: ChainSpec;
  steps: Steps;
  observer: SourceObserver;
  /** Upper bound of one append in history; a single group may be larger. */
  maxAppendBytes: number;
}

export const sourceWriterId = (chain: string, epoch: number): string => `source.${chain}.e${epoch}`;

/**
 * The one writer of `blocks.<chain>.e<epoch>`. Fences, then reads from the log's end what it has to continue (rule 1);
 * publishes strictly ascending heights with a gapless seq; after an append with unknown outcome it refuses all further
 * work, so that the stage opens a new one and goes on from what the log really holds.
 */
export class Publisher implements PublishedChain {
  unsealed: PublishedBlock[] = [];
  head: BlockRef;
  sealedHeight: number;
  finalizedHeight: number;
  seq: number;
  last: GroupMark;
  private dead = false;

  private constructor(
    private readonly deps: PublisherDeps,
    private readonly topic: TopicSpec,
    private readonly writer: LogWriter,
    tail: LogTail,
    readonly epoch: number,
    readonly reference: ReferenceSet,
    private readonly base: BlockRef | null,
  ) {
    this.seq = tail.lastSeq;
    this.last = tail.last;
    this.unsealed = [...tail.blocks];
    const head = this.unsealed.at(-1) ?? base;
    if (!head || tail.sealedHeight === null) {
      throw new LogBrokenError(`${topic.name} is cut off above its last seal: start a new epoch`);
    }
    this.head = head;
    this.sealedHeight = tail.sealedHeight;
    this.finalizedHeight = tail.finalizedHeight;
    this.dropSealed();
  }

  /** Opens the epoch's writer; null when the epoch has no group yet (nothing was written then). */
  static async open(deps: PublisherDeps, epoch: number): Promise<Publisher | null> {
    const topic = blocksTopic(deps.chain.slug, epoch);
    const writer = await fence(deps, epoch);
    try {
      await deps.steps('source.read-last');
      const last = await deps.log.lastGroup(topic);
      if (last === null) {
        await writer.close();
        return null;
      }
      const first = await deps.log.firstGroup(topic);
      const opening = first ? decodeBlocksGroup(first.value) : null;
      if (opening?.kind !== 'epoch') {
        throw new LogBrokenError(`${topic.name} does not start with its epoch group: it cannot be continued`);
      }
      const tail = await LogTail.open(deps.log, topic, last);
      const { height, hash, parentHash, time } = opening;
      const base = { height, hash, parentHash, time };
      return new Publisher(deps, topic, writer, tail, epoch, opening.reference, base);
    } catch (error) {
      await writer.close().catch(() => undefined);
      throw error;
    }
  }

  /** Starts an epoch: its first group and `alongside` (the record that names it) are one append. */
  static async create(
    deps: PublisherDeps,
    epoch: number,
    base: BlockRef,
    reference: ReferenceSet,
    alongside: Append[],
  ): Promise<Publisher> {
    const { chain, log } = deps;
    const topic = blocksTopic(chain.slug, epoch);
    const writer = await fence(deps, epoch);
    try {
      const value = encodeBlocksGroup({ kind: 'epoch', chain: chain.slug, epoch, seq: 0, ...base, reference });
      await deps.steps('source.before-append');
      await writer.append([{ topic, seq: 0, value }, ...alongside]).catch((error) => {
        throw error instanceof FencedError ? error : new UnknownOutcomeError(error);
      });
      await deps.steps('source.after-append');
      const tail = await LogTail.open(log, topic, { seq: 0, value });
      return new Publisher(deps, topic, writer, tail, epoch, reference, base);
    } catch (error) {
      await writer.close().catch(() => undefined);
      throw error;
    }
  }

  /** Appends the items in order; resolves when all of them are durable. */
  async publish(items: readonly SourceItem[]): Promise<void> {
    if (this.dead) throw new UnknownOutcomeError('this writer already failed');
    let records: Append[] = [];
    let groups: BlocksGroup[] = [];
    let bytes = 0;
    for (const item of items) {
      if (item.kind === 'retract') await this.refAt(item.to.height + 1); // its seq is needed, however deep it lies
      const group = this.nextGroup(item, groups);
      const value = encodeBlocksGroup(group);
      if (groups.length > 0 && bytes + value.length > this.deps.maxAppendBytes) {
        await this.append(records, groups, bytes);
        [records, groups, bytes] = [[], [], 0];
      }
      records.push({ topic: this.topic, seq: group.seq, value });
      if (group.kind === 'retract') {
        const outside = { key: keyedRetractionKey(group), value: keyedRetractionValue(group, this.deps.chain.ids) };
        records.push({ topic: retractionsTopic, ...outside });
      }
      groups.push(group);
      bytes += value.length;
    }
    if (groups.length > 0) await this.append(records, groups, bytes);
  }

  /** A record of a keyed topic under this stage's fence. */
  async appendKeyed(record: Append): Promise<void> {
    await this.append([record], [], 0);
  }

  async refAt(height: number): Promise<BlockRef | null> {
    const first = this.unsealed[0];
    if (first && height >= first.height) return this.unsealed[height - first.height] ?? null;
    if (this.base && height <= this.base.height) return height === this.base.height ? this.base : null;
    const deep = await this.deepTail();
    if (!(await deep.extendTo(height))) return null;
    const index = height - deep.blocks[0]!.height;
    return deep.blocks[index] ?? null;
  }

  async *groups(fromSeq: number, signal: AbortSignal): AsyncIterable<BlocksGroup> {
    for await (const batch of this.deps.log.readGroups(this.topic, { fromSeq, signal, untilEnd: true })) {
      for (const record of batch) yield decodeBlocksGroup(record.value);
    }
  }

  async close(): Promise<void> {
    this.dead = true;
    await this.writer.close();
  }

  /** The group for an item, given the groups that go before it in the same append. State changes only when durable. */
  private nextGroup(item: SourceItem, before: readonly BlocksGroup[]): BlocksGroup {
    const { slug } = this.deps.chain;
    const place = { chain: slug, epoch: this.epoch, seq: this.seq + before.length + 1 };
    const previous = before.findLast((group) => group.kind === 'block' || group.kind === 'retract') ?? this.head;
    switch (item.kind) {
      case 'block': {
        const { block } = item;
        const follows =
          previous.hash === '' ? block.height === previous.height + 1 : block.parentHash === previous.hash;
        if (!follows || block.height !== previous.height + 1) {
          throw new LogBrokenError(
            `block ${block.height} ${block.hash} does not follow ${previous.height} ${previous.hash}`,
          );
        }
        return { kind: 'block', ...place, ...block };
      }
      case 'retract': {
        if (item.to.height >= previous.height)
          throw new LogBrokenError(`retraction to ${item.to.height} retracts nothing`);
        return { kind: 'retract', ...place, ...pick(item.to), fromSeq: this.firstSeqAbove(item.to.height, before) };
      }
      case 'finalize':
        return { kind: 'finalize', ...place, ...pick(item.block), finalizedHeight: item.finalizedHeight };
    }
  }

  /** Seq of the lowest surviving block above a height: where the retracted range starts. */
  private firstSeqAbove(height: number, before: readonly BlocksGroup[]): number {
    const known = this.survivors(height).find((block) => block.height === height + 1);
    const fresh = before.find((group) => group.kind === 'block' && group.height === height + 1);
    const seq = known?.seq ?? fresh?.seq;
    if (seq === undefined) throw new LogBrokenError(`no published block ${height + 1} to retract`);
    return seq;
  }

  private async append(records: Append[], groups: readonly BlocksGroup[], bytes: number): Promise<void> {
    await this.deps.steps('source.before-append');
    try {
      await this.writer.append(records);
    } catch (error) {
      this.dead = true;
      throw error instanceof FencedError ? error : new UnknownOutcomeError(error);
    }
    for (const group of groups) this.apply(group);
    await this.deps.steps('source.after-append');
    this.deps.observer.appended?.(groups.length, bytes);
  }

  private apply(group: BlocksGroup): void {
    const survivors = group.kind === 'retract' ? this.survivors(group.height) : this.unsealed;
    this.seq = group.seq;
    this.last = { kind: group.kind, height: group.height, hash: group.hash };
    if (group.kind === 'block') {
      const { height, hash, parentHash, time, seq } = group;
      this.head = { height, hash, parentHash, time };
      this.unsealed.push({ seq, height, hash, parentHash, time });
      this.deps.observer.head?.(this.head, seq);
    } else if (group.kind === 'retract') {
      const belowSealed = group.height < this.sealedHeight;
      this.deps.observer.reorg?.(this.head.height - group.height, belowSealed);
      this.unsealed = survivors.filter((block) => block.height <= group.height);
      this.head = pick(group);
      this.sealedHeight = Math.min(this.sealedHeight, group.height);
      this.finalizedHeight = Math.min(this.finalizedHeight, group.height);
      this.dropSealed();
    } else if (group.kind === 'finalize') {
      this.sealedHeight = group.height;
      this.finalizedHeight = group.finalizedHeight;
      this.dropSealed();
    }
    this.deep = null;
  }

  /** Keeps the sealed block itself, so that the next one can be linked to it. */
  private dropSealed(): void {
    const first = this.unsealed[0];
    if (first && first.height < this.sealedHeight) this.unsealed.splice(0, this.sealedHeight - first.height);
  }

  private deep: LogTail | null = null;

  /** A fresh look at the log from its present end, for what lies below the unsealed blocks. */
  private async deepTail(): Promise<LogTail> {
    if (this.deep === null || this.deep.lastSeq !== this.seq) {
      const last = await this.deps.log.lastGroup(this.topic);
      if (last?.seq !== this.seq) throw new LogBrokenError(`${this.topic.name} was written by somebody else`);
      this.deep = await LogTail.open(this.deps.log, this.topic, last);
    }
    return this.deep;
  }

  /** Surviving blocks that reach down to a height, as far as they were read. */
  private survivors(height: number): readonly PublishedBlock[] {
    const first = this.unsealed[0];
    if (first && first.height <= height) return this.unsealed;
    return this.deep?.lastSeq === this.seq ? this.deep.blocks : this.unsealed;
  }
}

async function fence({ log, chain, steps }: PublisherDeps, epoch: number): Promise<LogWriter> {
  await log.ensureTopics([blocksTopic(chain.slug, epoch), retractionsTopic]);
  await steps('source.fence');
  return log.openWriter(sourceWriterId(chain.slug, epoch));
}

function pick({ height, hash, parentHash, time }: BlockRef): BlockRef {
  return { height, hash, parentHash, time };
}
