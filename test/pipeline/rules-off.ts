import { ProjectStage } from '#apps/ingest/src/project/project-stage.js';
import type { RetractionOutOfReachError } from '#apps/ingest/src/project/refold.js';
import { type SequencedValue, SequencedWriter } from '#apps/ingest/src/sequenced-writer.js';
import { LogBrokenError, TidepoolError } from '#libs/core/errors.js';
import { ChainFold } from '#libs/fold/chain-fold.js';
import { decodeSnapshot, encodeSnapshot } from '#libs/fold/snapshot.js';
import { truncateBlocks } from '#libs/operations/truncate-blocks.js';
import { decodeFactsGroup, encodeFactsGroup } from '#libs/projections/facts-codec.js';
import type { BlocksGroup, FinalizeGroup, RetractGroup } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { groupHash } from '#libs/protocol/codec/group-hash.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { blocksTopic, factsTopic } from '#libs/protocol/topics.js';
import { TailBuffer, type TailEntry } from '#libs/reader/tail-buffer.js';
import type { Checkpoint } from '#libs/store/market/checkpoint.js';
import type { MemoryLog } from './memory-log.js';
import { MemorySnapshots } from './memory-snapshots.js';
import type { RunningWorld, TailMethods } from './world-options.js';

/** Parts of the pipeline with one rule of the protocol switched off each, and nothing else changed. */

const BLOCKS = blocksTopic('eth', 1);
const FACTS = factsTopic('eth', 1, 1);

/** Rule 2: repeats an append after an unknown outcome from memory instead of reading what the log holds. */
export class RepeatFromMemory extends SequencedWriter {
  protected override async recover(groups: SequencedValue[]): Promise<void> {
    await this.open();
    await this.writer!.append(this.recordsOf(groups));
  }
}

/** Rule 6: starts where facts end without comparing what they hold with what blocks give. */
export class TrustingProject extends ProjectStage {
  protected override sameFacts(): boolean {
    return true;
  }
}

/** Facts that blocks do not give. */
export function forgeFacts(log: MemoryLog): void {
  const { groups } = log.topic(FACTS.name);
  const index = groups.findLastIndex(({ value }) => {
    const group = decodeFactsGroup(value);
    return group.kind === 'block' && group.poolStates.length > 0;
  });
  const group = decodeFactsGroup(groups[index]!.value);
  if (group.kind !== 'block') throw new Error('not a block');
  const poolStates = group.poolStates.map((state) => ({ ...state, reserve0: state.reserve0 + 1n }));
  groups[index] = { seq: group.seq, value: encodeFactsGroup({ ...group, poolStates }) };
}

/** Rule 7: facts only where there is something to say, numbered on their own. */
export class DenseFacts extends ProjectStage {
  private next = 0;

  protected override output(facts: FactsGroup): SequencedValue[] {
    if (facts.kind === 'finalize') return [];
    const seq = this.next++;
    return [{ seq, value: this.encode({ ...facts, seq }), beside: [] }];
  }
}

/** Rule 8: the position of one snapshot over the pools and tokens of the one before, as two stores apart would give. */
export class TornSnapshots extends MemorySnapshots {
  override async load(seq: number): Promise<Uint8Array | null> {
    const own = await super.load(seq);
    const older = (await this.list()).find((other) => other < seq);
    const before = older === undefined ? null : await super.load(older);
    if (own === null || before === null) return own;
    const { position, base, origin } = decodeSnapshot(own);
    return encodeSnapshot({ ...decodeSnapshot(before), position, base, origin, recent: [] });
  }
}

/** Rule 9: stamps a snapshot with the seq at which it is written, as that of a finalize record would be. */
export class LateStamps extends MemorySnapshots {
  constructor(private readonly log: MemoryLog) {
    super();
  }

  override save(_: number, bytes: Uint8Array): Promise<void> {
    const { seq } = this.log.topic(FACTS.name).groups.at(-1)!;
    const state = decodeSnapshot(bytes);
    return super.save(seq, encodeSnapshot({ ...state, position: { ...state.position, seq } }));
  }
}

/** Does not delete snapshots of dead forks. */
export class NeverDropped extends MemorySnapshots {
  override async dropFrom(): Promise<void> {}
}

/** Groups from..before-1 of `blocks`, and the hash that facts name them by. */
async function* blocksBetween(
  log: ProjectDeps['log'],
  from: number,
  before: number,
): AsyncGenerator<{ group: BlocksGroup; hash: string }> {
  const { signal } = new AbortController();
  for await (const batch of log.readGroups(BLOCKS, { fromSeq: from, signal, untilEnd: true })) {
    for (const { seq, value } of batch) {
      if (seq >= before) return;
      yield { group: decodeBlocksGroup(value), hash: groupHash(value) };
    }
  }
}

type ProjectDeps = ConstructorParameters<typeof ProjectStage>[0];

async function newestBelow({ snapshots }: ProjectDeps, seq: number): Promise<ChainFold> {
  const found = (await snapshots.list()).find((candidate) => candidate < seq);
  return found === undefined ? ChainFold.empty() : ChainFold.restore((await snapshots.load(found))!);
}

/** Rule 9: takes the newest snapshot below a retraction, whether or not its block survived. */
export class UsesDeadSnapshots extends ProjectStage {
  constructor(private readonly own: ProjectDeps) {
    super(own);
  }

  protected override async refold(retraction: RetractGroup): Promise<ChainFold> {
    const fold = await newestBelow(this.own, retraction.fromSeq);
    const from = (fold.position?.seq ?? -1) + 1;
    const dead: RetractGroup[] = [];
    for await (const { group } of blocksBetween(this.own.log, from, retraction.seq)) {
      if (group.kind === 'retract') dead.push(group);
    }
    for await (const { group } of blocksBetween(this.own.log, from, retraction.fromSeq)) {
      if (dead.some(({ fromSeq, seq }) => group.seq >= fromSeq && group.seq <= seq)) continue;
      if (group.kind === 'epoch' || group.kind === 'block') fold.applySurvivor(group);
    }
    return fold;
  }
}

/** Refolds the log as it stands, dead forks and all, up to the retraction, but seals nothing on the way. */
export class RefoldAsItStands extends ProjectStage {
  constructor(protected readonly own: ProjectDeps) {
    super(own);
  }

  protected override async refold(retraction: RetractGroup): Promise<ChainFold> {
    const fold = await this.newestSurviving(retraction);
    for await (const { group, hash } of blocksBetween(this.own.log, (fold.position?.seq ?? -1) + 1, retraction.seq)) {
      fold.apply(group.kind === 'finalize' ? this.onTheWay(group) : group, hash);
    }
    fold.apply(retraction, '');
    return fold;
  }

  protected onTheWay(group: FinalizeGroup): FinalizeGroup {
    return { ...group, height: -1 };
  }

  private async newestSurviving(retraction: RetractGroup): Promise<ChainFold> {
    const { log, snapshots } = this.own;
    const dead: RetractGroup[] = [];
    for await (const { group } of blocksBetween(log, 0, retraction.seq)) if (group.kind === 'retract') dead.push(group);
    for (const seq of await snapshots.list()) {
      if (seq >= retraction.fromSeq || dead.some((range) => seq >= range.fromSeq && seq < range.seq)) continue;
      return ChainFold.restore((await snapshots.load(seq))!);
    }
    return ChainFold.empty();
  }
}

/** Rule 10: applies the finalizations that it meets again on the way to the retraction. */
export class FinalizesOnTheWay extends RefoldAsItStands {
  protected override onTheWay(group: FinalizeGroup): FinalizeGroup {
    return group;
  }
}

/** Rule 11: keeps only the newest snapshot. */
export class OneSnapshot extends MemorySnapshots {
  override async save(seq: number, state: Uint8Array): Promise<void> {
    this.states.clear();
    await super.save(seq, state);
  }
}

/** Rule 12: takes a retraction that it cannot fold for a broken log. */
export class StopsInstead extends ProjectStage {
  protected override endEpoch(error: RetractionOutOfReachError): Promise<void> {
    throw new LogBrokenError(error.message);
  }
}

/** Rule 12: cuts `blocks` near their end, even where a reader still needs them. */
export async function cutBlindly(world: RunningWorld): Promise<void> {
  await world.log.connect().truncate(BLOCKS, world.publishedSeq - 1);
}

/** Cuts after the newest of these snapshots where the fold has no objection; true when it was cut. */
async function cutAfter(world: RunningWorld, candidates: readonly number[]): Promise<boolean> {
  const { log, snapshots } = world;
  const place = { log: log.connect(), chain: 'eth', epoch: 1, foldVersion: 1, snapshots, consumers: [] };
  for (const seq of candidates) {
    try {
      await truncateBlocks(place, seq + 1);
      return true;
    } catch (error) {
      if (!(error instanceof TidepoolError) || error.code !== 'cut_too_high') throw error;
    }
  }
  return false;
}

/** Asks first, and cuts as high as it may: at the newest snapshot that still stands. */
export async function cutAtNewestSnapshot(world: RunningWorld): Promise<void> {
  if (await cutAfter(world, [world.publishedSeq])) throw new Error('a cut above the fold was not refused');
  await cutAfter(world, await world.snapshots.list());
}

/** Cuts at a snapshot below which nothing that still comes is retracted. */
export const cutBelowRetractions =
  (history: readonly BlocksGroup[]) =>
  async (world: RunningWorld): Promise<void> => {
    const folded = world.log.topic(FACTS.name).groups.at(-1)?.seq ?? -1;
    const coming = history.flatMap((group) => (group.kind === 'retract' && group.seq > folded ? [group] : []));
    const deepest = Math.min(folded, ...coming.map(({ fromSeq }) => fromSeq - 1));
    const below = (await world.snapshots.list()).filter((seq) => seq <= deepest);
    await cutAfter(world, below);
  };

/** Rule 13: retractions in facts that carry no restored state. */
export class BareRetractions extends ProjectStage {
  protected override encode(...[facts]: Parameters<typeof encodeFactsGroup>): Uint8Array {
    return encodeFactsGroup(facts.kind === 'retract' ? { ...facts, poolStates: [], removedPools: [] } : facts);
  }
}

interface TailInside {
  entries: TailEntry[];
  base: Checkpoint;
  heldBytes: number;
  newest: unknown;
}

/** Rule 20: adopts whatever checkpoint the tables have, however far the tail has come. */
export const adoptAhead: Partial<TailMethods> = {
  adopt(this: TailBuffer, checkpoint: Checkpoint): boolean {
    const inside = this as unknown as TailInside;
    const { seq, step } = inside.base;
    if (checkpoint.seq < seq || (checkpoint.seq === seq && checkpoint.step <= step)) return false;
    for (const { bytes } of inside.entries.splice(0, checkpoint.seq - seq)) inside.heldBytes -= bytes;
    inside.base = checkpoint;
    inside.newest = null;
    return true;
  },
};

const { push } = TailBuffer.prototype;

/** Rule 20: forgets the rows of what is sealed, wherever the tables are. */
export const trimAtFinality: Partial<TailMethods> = {
  push(this: TailBuffer, facts: FactsGroup, bytes: number): TailEntry | null {
    const entry = push.call(this, facts, bytes);
    const inside = this as unknown as TailInside;
    if (facts.kind !== 'finalize') return entry;
    inside.entries = inside.entries.map((held) =>
      held.group !== null && held.group.facts.height <= facts.height ? { ...held, group: null } : held,
    );
    inside.newest = null;
    return entry;
  },
};

/** Runs with some methods of every tail replaced. */
export async function withTail<T>(methods: Partial<TailMethods>, run: () => Promise<T>): Promise<T> {
  const genuine = Object.fromEntries(
    Object.keys(methods).map((name) => [name, TailBuffer.prototype[name as keyof TailMethods]]),
  );
  Object.assign(TailBuffer.prototype, methods);
  try {
    return await run();
  } finally {
    Object.assign(TailBuffer.prototype, genuine);
  }
}
