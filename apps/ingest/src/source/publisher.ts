import type {
  BlockRef,
  GroupMark,
  PublishedChain,
  SourceItem,
  SourceObserver,
} from '#libs/chain/chains/source-port.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { LogBrokenError } from '#libs/core/errors.js';
import type { Steps } from '#libs/core/steps.js';
import type { Append, EventLog } from '#libs/pipeline/event-log/log.js';
import type { PublishedBlock, TailFile } from '#libs/pipeline/state/saved/tail-file.js';
import type { BlocksGroup, ReferenceSet, RetractGroup } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup, encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { keyedRetractionKey, keyedRetractionValue } from '#libs/protocol/codec/keyed-json.js';
import { blocksTopic, retractionsTopic, type TopicSpec } from '#libs/protocol/topics.js';
import { type SequencedValue, SequencedWriter, UnknownOutcomeError } from '../sequenced-writer.js';
import { blockAt, countUpTo, refOf } from './heights.js';
import { LogTail } from './log-tail.js';

const KEEP_EVERY_MS = 5_000;

export interface PublisherDeps {
  log: EventLog;
  chain: ChainSpec;
  steps: Steps;
  observer: SourceObserver;
  /** Upper bound of one append in history; a single group may be larger. */
  maxAppendBytes: number;
  /** Where a start finds what it need not read from the log; without it the log is read. */
  tailFile?: TailFile;
}

const sourceWriterId = (chain: string, epoch: number): string => `source.${chain}.e${epoch}`;

/**
 * The one writer of `blocks.<chain>.e<epoch>`: opens where the log ends and publishes strictly ascending heights with a
 * gapless seq. What it knows of the chain changes only when the groups are durable; after a failed append it refuses all
 * further work, so that the stage opens a new one and continues from what the log really holds.
 */
export class Publisher implements PublishedChain {
  unsealed: PublishedBlock[] = [];
  head: BlockRef;
  sealedHeight: number;
  finalizedHeight: number;
  seq: number;
  last: GroupMark;
  /** Seq of the sealed block that is on disk; -1 where there is none. */
  private keptSeq = -1;
  private keptAt = Number.NEGATIVE_INFINITY;

  private constructor(
    private readonly deps: PublisherDeps,
    private readonly topic: TopicSpec,
    private readonly writer: SequencedWriter,
    tail: LogTail,
    readonly epoch: number,
    readonly reference: ReferenceSet,
    private readonly base: BlockRef,
  ) {
    this.seq = tail.lastSeq;
    this.last = tail.last;
    this.unsealed = [...tail.blocks];
    const head = this.unsealed.at(-1) ?? base;
    if (tail.sealedHeight === null) {
      throw new LogBrokenError(`${topic.name} is cut off above its last seal: start a new epoch`);
    }
    this.head = head;
    this.sealedHeight = tail.sealedHeight;
    this.finalizedHeight = tail.finalizedHeight;
    this.dropSealed();
  }

  /** Opens the epoch's writer; null when the epoch has no group yet (nothing was written then). */
  static async open(deps: PublisherDeps, epoch: number): Promise<Publisher | null> {
    const { topic, writer } = await fence(deps, epoch);
    try {
      const last = writer.lastGroup;
      if (last === null) {
        await writer.close();
        return null;
      }
      const kept = (await deps.tailFile?.load(epoch)) ?? null;
      const resumed = kept && (await LogTail.resume(deps.log, topic, last, kept));
      if (resumed) {
        const publisher = new Publisher(deps, topic, writer, resumed, epoch, kept.reference, kept.base);
        publisher.keptSeq = kept.sealed.seq;
        return publisher;
      }
      const first = await deps.log.firstGroup(topic);
      const opening = first ? decodeBlocksGroup(first.value) : null;
      if (opening?.kind !== 'epoch') {
        throw new LogBrokenError(`${topic.name} does not start with its epoch group: it cannot be continued`);
      }
      const tail = await LogTail.open(deps.log, topic, last);
      const publisher = new Publisher(deps, topic, writer, tail, epoch, opening.reference, refOf(opening));
      await publisher.keepTail();
      return publisher;
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
    await deps.tailFile?.forget();
    const { topic, writer } = await fence(deps, epoch);
    try {
      if (writer.lastGroup !== null) throw new UnknownOutcomeError(`${topic.name} was opened by another writer`);
      const value = encodeBlocksGroup({ kind: 'epoch', chain: chain.slug, epoch, seq: 0, ...base, reference });
      await writer.append([{ seq: 0, value, alsoAppend: alongside }]);
      const tail = await LogTail.open(log, topic, { seq: 0, value });
      return new Publisher(deps, topic, writer, tail, epoch, reference, base);
    } catch (error) {
      await writer.close().catch(() => undefined);
      throw error;
    }
  }

  /** Appends the items in order; resolves when all of them are durable. */
  async publish(items: readonly SourceItem[]): Promise<void> {
    let values: SequencedValue[] = [];
    let groups: BlocksGroup[] = [];
    let bytes = 0;
    for (const item of items) {
      if (item.kind === 'retract') await this.refAt(item.to.height + 1); // its seq is needed, however deep it is
      const group = this.nextGroup(item, groups);
      const value = encodeBlocksGroup(group);
      if (groups.length > 0 && bytes + value.length > this.deps.maxAppendBytes) {
        await this.append(values, groups, bytes);
        [values, groups, bytes] = [[], [], 0];
      }
      values.push({
        seq: group.seq,
        value,
        alsoAppend: group.kind === 'retract' ? [this.publicRetraction(group)] : [],
      });
      groups.push(group);
      bytes += value.length;
    }
    if (groups.length > 0) await this.append(values, groups, bytes);
  }

  /** A record of a keyed topic under this stage's fence. */
  async appendKeyed(record: Append): Promise<void> {
    await this.writer.appendKeyed([record]);
  }

  async refAt(height: number): Promise<BlockRef | null> {
    const first = this.unsealed[0];
    if (first && height >= first.height) return blockAt(this.unsealed, height);
    if (height <= this.base.height) return height === this.base.height ? this.base : null;
    const deep = await this.deepTail();
    if (!(await deep.extendTo(height))) return null;
    return blockAt(deep.blocks, height);
  }

  async *groups(fromSeq: number, signal: AbortSignal): AsyncIterable<BlocksGroup> {
    for await (const batch of this.deps.log.readGroups(this.topic, { fromSeq, signal, untilEnd: true })) {
      for (const record of batch) yield decodeBlocksGroup(record.value);
    }
  }

  async close(): Promise<void> {
    this.keptAt = Number.NEGATIVE_INFINITY;
    await this.keepTail();
    await this.writer.close();
  }

  private publicRetraction(group: RetractGroup): Append {
    const value = keyedRetractionValue(group, this.deps.chain.ids);
    return { topic: retractionsTopic, key: keyedRetractionKey(group), value };
  }

  /** The group for an item, given the groups that go before it in the same append. State changes only when durable. */
  private nextGroup(item: SourceItem, before: readonly BlocksGroup[]): BlocksGroup {
    const { slug } = this.deps.chain;
    const place = { chain: slug, epoch: this.epoch, seq: this.seq + before.length + 1 };
    const previous = before.findLast((group) => group.kind === 'block' || group.kind === 'retract') ?? this.head;
    switch (item.kind) {
      case 'block': {
        const { block } = item;
        const follows = previous.hash === '' || block.parentHash === previous.hash;
        if (!follows || !this.mayFollow(previous.height, block.height)) {
          throw new LogBrokenError(
            `block ${block.height} ${block.hash} does not follow ${previous.height} ${previous.hash}`,
          );
        }
        return { kind: 'block', ...place, ...block };
      }
      case 'retract': {
        if (item.to.height >= previous.height)
          throw new LogBrokenError(`retraction to ${item.to.height} retracts nothing`);
        return { kind: 'retract', ...place, ...refOf(item.to), fromSeq: this.firstSeqAbove(item.to.height, before) };
      }
      case 'finalize':
        return { kind: 'finalize', ...place, ...refOf(item.block), finalizedHeight: item.finalizedHeight };
    }
  }

  /** Every height of an EVM chain has its block; on Solana slots are left out. */
  private mayFollow(previous: number, height: number): boolean {
    return this.reference.family === 'evm' ? height === previous + 1 : height > previous;
  }

  /** Seq of the lowest surviving block above a height: where the retracted range starts. */
  private firstSeqAbove(height: number, before: readonly BlocksGroup[]): number {
    const survivors = this.survivors(height);
    const known = survivors[countUpTo(survivors, height)];
    const fresh = before.find((group) => group.kind === 'block' && group.height > height);
    const seq = known?.seq ?? fresh?.seq;
    if (seq === undefined) throw new LogBrokenError(`no published block above ${height} to retract`);
    return seq;
  }

  private async append(values: SequencedValue[], groups: readonly BlocksGroup[], bytes: number): Promise<void> {
    await this.writer.append(values);
    for (const group of groups) this.apply(group);
    this.deps.observer.appended?.(groups.length, bytes);
    if (groups.some((group) => group.kind === 'retract')) this.keptAt = Number.NEGATIVE_INFINITY;
    if (groups.some((group) => group.kind !== 'block')) await this.keepTail();
  }

  /** Keeps the place of the seal on disk where it has moved. Before the first seal a start reads from the beginning. */
  private async keepTail(): Promise<void> {
    const { epoch, reference, base, finalizedHeight } = this;
    const [sealed] = this.unsealed;
    if (!this.deps.tailFile || sealed?.height !== this.sealedHeight || sealed.seq === this.keptSeq) return;
    // In history seals follow each other by the hundred a second; a start that reads on from one of them is as good.
    if (performance.now() - this.keptAt < KEEP_EVERY_MS) return;
    try {
      await this.deps.tailFile.save({ epoch, reference, base, sealed, finalizedHeight });
      this.keptSeq = sealed.seq;
      this.keptAt = performance.now();
    } catch (error) {
      this.deps.observer.cacheFailed?.(error as Error);
    }
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
      this.head = refOf(group);
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
    const upTo = countUpTo(this.unsealed, this.sealedHeight);
    if (upTo > 1) this.unsealed.splice(0, upTo - 1);
  }

  private deep: LogTail | null = null;

  /** A fresh look at the log from its present end, for what is below the unsealed blocks. */
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

async function fence(
  { log, chain, steps }: PublisherDeps,
  epoch: number,
): Promise<{ topic: TopicSpec; writer: SequencedWriter }> {
  const topic = blocksTopic(chain.slug, epoch);
  await log.ensureTopics([topic, retractionsTopic]);
  const writer = new SequencedWriter(log, sourceWriterId(chain.slug, epoch), topic, steps, 'source');
  await writer.open();
  return { topic, writer };
}
