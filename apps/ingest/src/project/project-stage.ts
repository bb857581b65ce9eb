import { LogBrokenError, TidepoolError } from '#libs/core/errors.js';
import type { Hex, IdFormat } from '#libs/core/ids.js';
import { noSteps, type Steps } from '#libs/core/steps.js';
import { TimeBudget } from '#libs/core/time-budget.js';
import { decodeRecord } from '#libs/pipeline/event-log/decode-record.js';
import type { EventLog, SequencedRecord } from '#libs/pipeline/event-log/log.js';
import { ChainFold, type FoldOptions } from '#libs/pipeline/fold/chain-fold.js';
import { FOLD_CACHE_ENTRIES } from '#libs/pipeline/fold/fold-spaces.js';
import { encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import type { KeyedState } from '#libs/pipeline/state/keyed-state.js';
import type { StateHome } from '#libs/pipeline/state/state-home.js';
import type { Stage, StageStatus } from '#libs/platform/stage.js';
import type { BlocksGroup, RetractGroup } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { groupHash } from '#libs/protocol/codec/group-hash.js';
import type { FactsGroup, FactsRetract } from '#libs/protocol/facts.js';
import {
  blocksTopic,
  epochsTopic,
  factsTopic,
  poolsTopic,
  type TopicSpec,
  tradesTopic,
} from '#libs/protocol/topics.js';
import { type SequencedValue, SequencedWriter } from '../sequenced-writer.js';
import { aborted, endedEpochRecord } from '../served-epoch.js';
import { keyedTrades } from './keyed-trades.js';
import { type AppendKeyed, PoolCopies, type PoolCopiesOptions } from './pool-copies.js';
import { type RefoldDeps, RetractionOutOfReachError, refoldSurvivors, seqOf } from './refold.js';
import { type CommitOptions, defaultCommits, StateCommits } from './state-commits.js';

/** Where the state of one fold is. */
export interface StatePlace {
  home: StateHome;
  /** Where a program before keyed state kept this fold: dropped with it. */
  oldSnapshotsDir?: string;
}

export interface ProjectDeps extends StatePlace {
  log: EventLog;
  chain: string;
  epoch: number;
  foldVersion: number;
  fold?: Pick<FoldOptions, 'objects'>;
  /** Set to publish the keyed topic `trades` for outsiders, with ids written in this format. */
  keyedIds?: IdFormat;
  /** Trades up to this seq have been published by another fold version. */
  keyedAfterSeq?: number;
  steps?: Steps;
  commits?: Partial<CommitOptions>;
  poolCopies?: Partial<PoolCopiesOptions>;
}

interface DecodedGroup {
  readonly group: BlocksGroup;
  readonly inputHash: Hex;
}

/** Groups whose values are brought from disk together. */
const READ_AHEAD = 64;

/**
 * Folds `blocks` into `facts`: one facts group per blocks group, same seq. On start it continues from the committed state
 * and compares every group that `facts` already holds, byte for byte; a difference stops the stage (rules 6, 7). However much there is
 * to fold, others have their turn after a group, and between its fold and its encoding.
 */
export class ProjectStage implements Stage {
  readonly name: string;
  private readonly step: Steps;
  private readonly blocks: TopicSpec;
  private readonly facts: TopicSpec;
  private readonly writer: SequencedWriter;
  private readonly copies: PoolCopies;
  protected fold = ChainFold.empty();
  private readonly commits: StateCommits;
  private refolds = 0;
  private compared = 0;
  /** Another process writes; what the topic of copies lacks is found out when this one does. */
  private following = false;
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
    this.commits = new StateCommits({ ...defaultCommits, ...deps.commits });
    this.copies = new PoolCopies(deps.log, { pools, blocks: this.blocks, facts: this.facts }, append, deps.poolCopies);
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
    const alsoAppend = this.deps.keyedIds ? [tradesTopic, epochsTopic] : [epochsTopic];
    await this.deps.log.ensureTopics([this.blocks, this.facts, this.copies.topic, ...alsoAppend]);
    const lastFacts = await this.writer.open();
    try {
      await this.restore(lastFacts);
      const from = (this.fold.position?.seq ?? -1) + 1;
      if (from <= lastFacts) await this.compareWithFacts(from, lastFacts, signal);
      if (!signal.aborted) await this.follow(signal);
      // In order, so the next start has less to compare and to fold again.
      await this.copies.publishAtEnd(this.fold);
      await this.commits.commitNow(this.fold.state);
    } catch (error) {
      if (!(error instanceof RetractionOutOfReachError)) throw error;
      await this.endEpoch(error, signal);
    } finally {
      await this.commits.end().catch(() => undefined);
      await this.fold.state.close();
      await this.writer.close();
    }
  }

  /** The newest committed state that `facts` has reached; the empty one when there is none and `blocks` is whole. */
  private async restore(lastFacts: number): Promise<void> {
    const { log, home, fold: options } = this.deps;
    const continueFrom = (state: KeyedState): void => {
      this.fold = ChainFold.over(state, options);
    };
    const committed = (): number => this.fold.state.committed?.seq ?? -1;
    continueFrom(await this.openState());
    if (committed() >= 0 && committed() <= lastFacts) {
      if (committed() > 0) this.copies.standAt(this.fold.state.committed!);
      return;
    }
    const cut = (await log.firstGroup(this.blocks))?.seq ?? 0;
    if (committed() > lastFacts) {
      const { state } = this.fold;
      const point = state.points().find((kept) => seqOf(kept) <= lastFacts && seqOf(kept) + 1 >= cut);
      if (point !== undefined) {
        await state.rewind(point);
        continueFrom(state);
      } else if (cut === 0) {
        await state.close();
        await home.remove();
        continueFrom(await this.openState());
      }
    }
    const seq = committed();
    if (seq > lastFacts || (seq < 0 && cut > 0)) {
      throw new LogBrokenError(
        `${this.blocks.name} starts at seq ${cut} and no state reaches it: restore the folder's state/, or begin a new epoch`,
      );
    }
    if (seq > 0) this.copies.standAt(this.fold.state.committed!);
  }

  /** A state of another form is given again by a log that is whole. */
  private async openState(): Promise<KeyedState> {
    const { log, home } = this.deps;
    try {
      return await home.open({ cacheEntries: FOLD_CACHE_ENTRIES, steps: this.step });
    } catch (error) {
      if (!(error instanceof TidepoolError) || error.code !== 'state_version') throw error;
      if (((await log.firstGroup(this.blocks))?.seq ?? 0) > 0) throw error;
      await home.remove();
      return home.open({ cacheEntries: FOLD_CACHE_ENTRIES, steps: this.step });
    }
  }

  /** Opens no writer: folds what another process has folded, and compares, until the signal aborts. */
  async standBy(signal: AbortSignal): Promise<void> {
    const { log } = this.deps;
    await log.ensureTopics([this.blocks, this.facts, this.copies.topic, epochsTopic]);
    this.following = true;
    try {
      await this.restore((await log.lastGroup(this.facts))?.seq ?? -1);
      await this.followFacts((this.fold.position?.seq ?? -1) + 1, signal);
      await this.commits.commitNow(this.fold.state);
    } catch (error) {
      if (!(error instanceof RetractionOutOfReachError)) throw error;
      this.waiting = error.message;
      await aborted(signal);
    } finally {
      this.following = false;
      await this.commits.end().catch(() => undefined);
      await this.fold.state.close();
    }
  }

  private async followFacts(fromSeq: number, signal: AbortSignal): Promise<void> {
    const blocks = flatten(this.deps.log.readGroups(this.blocks, { fromSeq, signal }));
    const budget = new TimeBudget();
    try {
      for await (const known of flatten(this.deps.log.readGroups(this.facts, { fromSeq, signal }))) {
        if (budget.isSpent()) await budget.next();
        const input = await blocks.next();
        if (input.done || signal.aborted) return;
        await this.compare(input.value, known, signal);
      }
    } finally {
      await blocks.return(undefined);
    }
  }

  private async compareWithFacts(from: number, to: number, signal: AbortSignal): Promise<void> {
    const known = flatten(this.deps.log.readGroups(this.facts, { fromSeq: from, signal, untilEnd: true }));
    const budget = new TimeBudget();
    for await (const record of flatten(
      this.deps.log.readGroups(this.blocks, { fromSeq: from, signal, untilEnd: true }),
    )) {
      if (record.seq > to) break;
      if (budget.isSpent()) await budget.next();
      const expected = await known.next();
      if (expected.done || expected.value.seq !== record.seq) {
        if (signal.aborted) return;
        throw new LogBrokenError(`${this.facts.name} has no group ${record.seq}`);
      }
      await this.compare(record, expected.value, signal);
    }
    await known.return(undefined);
    const reached = this.fold.position?.seq ?? -1;
    if (reached < to && !signal.aborted) {
      throw new LogBrokenError(`${this.facts.name} reaches seq ${to}, ${this.blocks.name} only ${reached}`);
    }
  }

  /** Folds a group of which the facts are known, byte for byte. */
  private async compare(record: SequencedRecord, known: SequencedRecord, signal: AbortSignal): Promise<void> {
    if (known.seq !== record.seq) throw new LogBrokenError(`${this.facts.name} has no group ${record.seq}`);
    const value = this.encode(await this.applyDecoded(this.decode(record), signal));
    if (!this.sameFacts(value, known.value)) {
      throw new LogBrokenError(
        `${this.facts.name} seq ${record.seq} is not what folding ${this.blocks.name} gives: rebuild facts under a new fold version`,
      );
    }
    this.compared++;
    await this.commits.beginWhenDue(this.fold.state);
  }

  private async follow(signal: AbortSignal): Promise<void> {
    await this.copies.begin(this.fold.position?.seq ?? -1, signal);
    await this.copies.publishWhenDue(this.fold, signal);
    const fromSeq = (this.fold.position?.seq ?? -1) + 1;
    const budget = new TimeBudget();
    for await (const batch of this.deps.log.readGroups(this.blocks, {
      fromSeq,
      signal,
      maxGroups: 512,
      maxBytes: 4 << 20,
    })) {
      budget.begin();
      for (let from = 0; from < batch.length; from += READ_AHEAD) {
        const groups: DecodedGroup[] = [];
        for (const record of batch.slice(from, from + READ_AHEAD)) {
          if (budget.isSpent()) await budget.next();
          groups.push(this.decode(record));
        }
        await this.fold.readAhead(groups.map(({ group }) => group));
        const out: SequencedValue[] = [];
        for (const group of groups) {
          if (budget.isSpent()) await budget.next();
          const facts = await this.applyDecoded(group, signal);
          if (budget.isSpent()) await budget.next();
          out.push(...this.output(facts));
        }
        await this.writer.append(out);
      }
      if (this.commits.isDue(this.fold.state)) await this.copies.noteCommit();
      await this.commits.beginWhenDue(this.fold.state);
      await this.copies.publishWhenDue(this.fold, signal);
      if (signal.aborted) return;
    }
  }

  private decode(record: SequencedRecord): DecodedGroup {
    const group = decodeRecord(this.blocks, record, decodeBlocksGroup);
    if (group.seq !== record.seq || group.epoch !== this.deps.epoch || group.chain !== this.deps.chain) {
      throw new LogBrokenError(
        `${this.blocks.name} seq ${record.seq} holds ${group.chain} e${group.epoch} seq ${group.seq}`,
      );
    }
    return { group, inputHash: groupHash(record.value) };
  }

  private async applyDecoded({ group, inputHash }: DecodedGroup, signal: AbortSignal): Promise<FactsGroup> {
    const facts = await this.applyGroup(group, inputHash, signal);
    this.commits.note(group);
    if (!this.following) this.copies.note(facts, group.kind === 'block' ? group.events.length : 0);
    return facts;
  }

  /** Rule 7: one group for each that was read, under its seq. */
  protected output(facts: FactsGroup): SequencedValue[] {
    const { keyedIds, keyedAfterSeq = -1 } = this.deps;
    const alsoAppend = keyedIds && facts.seq > keyedAfterSeq ? keyedTrades(facts, keyedIds) : [];
    return [{ seq: facts.seq, value: this.encode(facts), alsoAppend }];
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
    const facts = await this.refold(group, inputHash, signal);
    this.refolds++;
    return facts;
  }

  /** A retraction of sealed blocks (rules 9, 10, 11). */
  protected async refold(group: RetractGroup, inputHash: string, signal: AbortSignal): Promise<FactsRetract> {
    const refolded = await refoldSurvivors(this.fold, this.refoldDeps(), group, inputHash, signal);
    this.fold = refolded.fold;
    return refolded.facts;
  }

  protected refoldDeps(): RefoldDeps {
    const { log, home, fold: options = {} } = this.deps;
    return { log, topic: this.blocks, home, options, commits: this.commits, steps: this.step };
  }

  /** Nothing can be folded on: asks for a new epoch and waits until that one is served instead (rule 12). */
  protected async endEpoch(error: RetractionOutOfReachError, signal: AbortSignal): Promise<void> {
    const { chain, epoch } = this.deps;
    await this.writer.appendKeyed([endedEpochRecord(chain, { epoch, seq: error.seq, reason: error.message })]);
    this.waiting = error.message;
    await aborted(signal);
  }
}

async function* flatten(batches: AsyncIterable<SequencedRecord[]>): AsyncGenerator<SequencedRecord, void> {
  for await (const batch of batches) yield* batch;
}
