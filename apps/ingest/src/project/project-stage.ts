import { LogBrokenError } from '#libs/core/errors.js';
import type { IdFormat } from '#libs/core/ids.js';
import { noSteps, type Steps } from '#libs/core/steps.js';
import { decodeRecord } from '#libs/event-log/decode-record.js';
import type { EventLog, SequencedRecord } from '#libs/event-log/log.js';
import { ChainFold } from '#libs/fold/chain-fold.js';
import type { Stage, StageStatus } from '#libs/platform/stage.js';
import { encodeFactsGroup } from '#libs/projections/facts-codec.js';
import type { BlocksGroup, RetractGroup } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { groupHash } from '#libs/protocol/codec/group-hash.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import {
  blocksTopic,
  epochsTopic,
  factsTopic,
  poolsTopic,
  type TopicSpec,
  tradesTopic,
} from '#libs/protocol/topics.js';
import type { SnapshotStore } from '#libs/saved-state/snapshot-store.js';
import { type SequencedValue, SequencedWriter } from '../sequenced-writer.js';
import { endedEpochRecord } from '../served-epoch.js';
import { keyedTrades } from './keyed-trades.js';
import { type AppendKeyed, PoolCopies, type PoolCopiesOptions } from './pool-copies.js';
import { RetractionOutOfReachError, refoldSurvivors } from './refold.js';

export interface ProjectDeps {
  log: EventLog;
  chain: string;
  epoch: number;
  foldVersion: number;
  snapshots: SnapshotStore;
  /** Set to publish the keyed topic `trades` for outsiders, with ids written in this format. */
  keyedIds?: IdFormat;
  /** Trades up to this seq have been published by another fold version. */
  keyedAfterSeq?: number;
  steps?: Steps;
  /** A snapshot is taken when this many blocks or events went by since the last one. */
  snapshotEveryBlocks?: number;
  snapshotEveryEvents?: number;
  poolCopies?: Partial<PoolCopiesOptions>;
}

interface Candidate {
  seq: number;
  height: number;
  state: Uint8Array;
}

/**
 * Folds `blocks` into `facts`: one facts group per blocks group, same seq. On start it refolds from the newest snapshot
 * and compares every group that `facts` already holds, byte for byte; a difference stops the stage (rules 6, 7).
 */
export class ProjectStage implements Stage {
  readonly name: string;
  private readonly step: Steps;
  private readonly blocks: TopicSpec;
  private readonly facts: TopicSpec;
  private readonly writer: SequencedWriter;
  private readonly copies: PoolCopies;
  private fold = ChainFold.empty();
  private candidates: Candidate[] = [];
  private blocksSinceSnapshot = 0;
  private eventsSinceSnapshot = 0;
  private dropSnapshotsFrom = Number.POSITIVE_INFINITY;
  private sealed = -1;
  private refolds = 0;
  private compared = 0;
  private waiting: string | null = null;

  constructor(private readonly deps: ProjectDeps) {
    this.name = `project.${deps.chain}`;
    this.step = deps.steps ?? noSteps;
    this.blocks = blocksTopic(deps.chain, deps.epoch);
    this.facts = factsTopic(deps.chain, deps.epoch, deps.foldVersion);
    const writerId = `project.${deps.chain}.e${deps.epoch}.f${deps.foldVersion}`;
    this.writer = new SequencedWriter(deps.log, writerId, this.facts, this.step, 'project');
    const pools = poolsTopic(deps.chain, deps.epoch, deps.foldVersion);
    const append: AppendKeyed = (records) => this.writer.appendKeyed(records);
    this.copies = new PoolCopies(deps.log, pools, this.blocks, append, deps.poolCopies);
  }

  status(): StageStatus {
    const position = this.fold.position;
    return {
      stage: 'project',
      chain: this.deps.chain,
      seq: position?.seq ?? null,
      height: position?.height ?? null,
      detail: {
        factsSeq: this.writer.lastSeq,
        compared: this.compared,
        refolds: this.refolds,
        poolsSeq: this.copies.mark,
        poolsSetApart: this.fold.poolsSetApart,
        waiting: this.waiting,
      },
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    const beside = this.deps.keyedIds ? [tradesTopic, epochsTopic] : [epochsTopic];
    await this.deps.log.ensureTopics([this.blocks, this.facts, this.copies.topic, ...beside]);
    const lastFacts = await this.writer.open();
    try {
      await this.restore(lastFacts);
      const from = (this.fold.position?.seq ?? -1) + 1;
      if (from <= lastFacts) await this.compareWithFacts(from, lastFacts, signal);
      await this.follow(signal);
    } catch (error) {
      if (!(error instanceof RetractionOutOfReachError)) throw error;
      await this.endEpoch(error, signal);
    } finally {
      await this.writer.close();
    }
  }

  /** The newest snapshot that `facts` has reached; the empty fold when there is none. */
  private async restore(lastFacts: number): Promise<void> {
    this.fold = ChainFold.empty();
    this.candidates = [];
    for (const seq of await this.deps.snapshots.list()) {
      if (seq > lastFacts) continue;
      const state = await this.deps.snapshots.load(seq);
      if (state === null) continue;
      this.fold = ChainFold.restore(state);
      this.copies.standAt(this.facts, seq);
      return;
    }
    const first = await this.deps.log.firstGroup(this.blocks);
    if (first !== null && first.seq > 0) {
      throw new LogBrokenError(`${this.blocks.name} starts at seq ${first.seq} and no snapshot reaches it: import one`);
    }
  }

  private async compareWithFacts(from: number, to: number, signal: AbortSignal): Promise<void> {
    const known = flatten(this.deps.log.readGroups(this.facts, { fromSeq: from, signal, untilEnd: true }));
    for await (const record of flatten(
      this.deps.log.readGroups(this.blocks, { fromSeq: from, signal, untilEnd: true }),
    )) {
      if (record.seq > to) break;
      const expected = await known.next();
      if (expected.done || expected.value.seq !== record.seq) {
        if (signal.aborted) return;
        throw new LogBrokenError(`${this.facts.name} has no group ${record.seq}`);
      }
      const value = this.encode(await this.applyRecord(record, signal));
      if (!this.sameFacts(value, expected.value.value)) {
        throw new LogBrokenError(
          `${this.facts.name} seq ${record.seq} is not what folding ${this.blocks.name} gives: rebuild facts under a new fold version`,
        );
      }
      this.compared++;
    }
    await known.return(undefined);
    const reached = this.fold.position?.seq ?? -1;
    if (reached < to && !signal.aborted) {
      throw new LogBrokenError(`${this.facts.name} reaches seq ${to}, ${this.blocks.name} only ${reached}`);
    }
  }

  private async follow(signal: AbortSignal): Promise<void> {
    await this.copies.begin();
    await this.copies.publishWhenDue(this.fold, signal);
    const fromSeq = (this.fold.position?.seq ?? -1) + 1;
    for await (const batch of this.deps.log.readGroups(this.blocks, {
      fromSeq,
      signal,
      maxGroups: 512,
      maxBytes: 4 << 20,
    })) {
      const out: SequencedValue[] = [];
      for (const record of batch) {
        out.push(...this.output(await this.applyRecord(record, signal)));
      }
      await this.writer.append(out);
      await this.saveSnapshots();
      await this.copies.publishWhenDue(this.fold, signal);
      if (signal.aborted) return;
    }
  }

  private async applyRecord(record: SequencedRecord, signal: AbortSignal): Promise<FactsGroup> {
    const group = decodeRecord(this.blocks, record, decodeBlocksGroup);
    const inputHash = groupHash(record.value);
    if (group.seq !== record.seq || group.epoch !== this.deps.epoch || group.chain !== this.deps.chain) {
      throw new LogBrokenError(
        `${this.blocks.name} seq ${record.seq} holds ${group.chain} e${group.epoch} seq ${group.seq}`,
      );
    }
    const facts = await this.applyGroup(group, inputHash, signal);
    this.noteForSnapshot(group);
    this.copies.note(facts, group.kind === 'block' ? group.events.length : 0);
    return facts;
  }

  /** Rule 7: one group for each that was read, under its seq. */
  protected output(facts: FactsGroup): SequencedValue[] {
    const { keyedIds, keyedAfterSeq = -1 } = this.deps;
    const beside = keyedIds && facts.seq > keyedAfterSeq ? keyedTrades(facts, keyedIds) : [];
    return [{ seq: facts.seq, value: this.encode(facts), beside }];
  }

  /** Rule 6. */
  protected sameFacts(folded: Uint8Array, known: Uint8Array): boolean {
    return Buffer.compare(folded, known) === 0;
  }

  protected encode(facts: FactsGroup): Uint8Array {
    return encodeFactsGroup(facts);
  }

  private async applyGroup(group: BlocksGroup, inputHash: string, signal: AbortSignal): Promise<FactsGroup> {
    if (group.kind !== 'retract' || this.fold.canRetract(group)) return this.fold.apply(group, inputHash);
    await this.step('project.before-refold');
    const older = await this.refold(group, signal);
    const facts = older.retractFrom(this.fold, group, inputHash);
    this.fold = older;
    this.refolds++;
    return facts;
  }

  /** The state at the ancestor of a retraction that the undo records do not reach (rules 9, 10, 11). */
  protected refold(group: RetractGroup, signal: AbortSignal): Promise<ChainFold> {
    return refoldSurvivors(this.deps.log, this.blocks, this.deps.snapshots, group, signal);
  }

  /** Nothing can be folded on: asks for a new epoch and waits until that one is served instead (rule 12). */
  protected async endEpoch(error: RetractionOutOfReachError, signal: AbortSignal): Promise<void> {
    const { chain, epoch } = this.deps;
    await this.writer.appendKeyed([endedEpochRecord(chain, { epoch, seq: error.seq, reason: error.message })]);
    this.waiting = error.message;
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  private noteForSnapshot(group: BlocksGroup): void {
    if (group.kind === 'retract') {
      this.candidates = this.candidates.filter((candidate) => candidate.seq < group.fromSeq);
      this.dropSnapshotsFrom = Math.min(this.dropSnapshotsFrom, group.fromSeq);
      this.sealed = Math.min(this.sealed, group.height);
    } else if (group.kind === 'finalize') {
      this.sealed = Math.max(this.sealed, group.height);
    } else if (group.kind === 'block') {
      this.blocksSinceSnapshot++;
      this.eventsSinceSnapshot += group.events.length;
      const due =
        this.blocksSinceSnapshot >= (this.deps.snapshotEveryBlocks ?? 2_000) ||
        this.eventsSinceSnapshot >= (this.deps.snapshotEveryEvents ?? 500_000);
      if (due) {
        this.candidates.push({ seq: group.seq, height: group.height, state: this.fold.snapshot() });
        this.blocksSinceSnapshot = 0;
        this.eventsSinceSnapshot = 0;
      }
    }
  }

  /** Writes the candidates whose block is sealed, stamped with the block's own seq (rule 9), once facts hold it. */
  private async saveSnapshots(): Promise<void> {
    if (this.dropSnapshotsFrom !== Number.POSITIVE_INFINITY) {
      await this.deps.snapshots.dropFrom(this.dropSnapshotsFrom);
      this.dropSnapshotsFrom = Number.POSITIVE_INFINITY;
    }
    const due = this.candidates.filter((candidate) => candidate.height <= this.sealed);
    if (due.length === 0) return;
    this.candidates = this.candidates.filter((candidate) => candidate.height > this.sealed);
    const newest = due[due.length - 1]!;
    await this.step('project.before-snapshot');
    await this.deps.snapshots.save(newest.seq, newest.state);
    await this.step('project.after-snapshot');
  }
}

async function* flatten(batches: AsyncIterable<SequencedRecord[]>): AsyncGenerator<SequencedRecord, void> {
  for await (const batch of batches) yield* batch;
}
