import { ProjectStage } from '#apps/ingest/src/project/project-stage.js';
import { pointBelow, type RetractionOutOfReachError } from '#apps/ingest/src/project/refold.js';
import { type SequencedValue, SequencedWriter } from '#apps/ingest/src/sequenced-writer.js';
import { truncateBlocks } from '#libs/app/operations/truncate-blocks.js';
import { LogBrokenError, TidepoolError } from '#libs/core/errors.js';
import { HeapHome } from '#libs/devkit/testing/heap-home.js';
import { foldSpaces } from '#libs/pipeline/fold/fold-spaces.js';
import { decodeFactsGroup, encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import { HeapStore } from '#libs/pipeline/state/heap-store.js';
import type { KeyedState, KeyedStateOptions } from '#libs/pipeline/state/keyed-state.js';
import type { CommitRecords, RewindPoint } from '#libs/pipeline/state/sealed-store.js';
import type { BlockPosition } from '#libs/pipeline/state/space.js';
import type { Checkpoint } from '#libs/pipeline/store/market/checkpoint.js';
import type { BlockGroup, BlocksGroup, EpochGroup, FinalizeGroup, RetractGroup } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { groupHash } from '#libs/protocol/codec/group-hash.js';
import type { FactsGroup, FactsRetract } from '#libs/protocol/facts.js';
import { blocksTopic, factsTopic } from '#libs/protocol/topics.js';
import { Session } from '#libs/serve/reader/session.js';
import { TailBuffer, type TailEntry } from '#libs/serve/reader/tail-buffer.js';
import type { MemoryLog } from './memory-log.js';
import type { ReaderMethods, RunningWorld, TailMethods } from './world-options.js';

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
    return [{ seq, value: this.encode({ ...facts, seq }), alsoAppend: [] }];
  }
}

/** Rule 8: the position of one commit over the values of the one before, as two stores apart would give. */
export class TornState extends HeapHome {
  override async open(options?: KeyedStateOptions): Promise<KeyedState> {
    const { position, undo } = this.disk;
    if (undo.length > 1) {
      const store = new HeapStore(this.disk, foldSpaces.length);
      await store.rewind(store.points()[0]!);
      Object.assign(this.disk, { position });
    }
    return super.open(options);
  }
}

/** Rule 9: stamps a state with the seq at which it is committed, as that of a finalize record would be. */
export const lateStamps = (log: MemoryLog): HeapHome =>
  new HeapHome(
    foldSpaces,
    (_, disk) =>
      new (class extends HeapStore {
        override commit(records: CommitRecords, position: BlockPosition): Promise<void> {
          const { seq } = log.topic(FACTS.name).groups.at(-1)!;
          return super.commit(records, { ...position, seq });
        }
      })(disk, foldSpaces.length),
  );

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

/** Goes back, folds again what `onTheWay` lets through, and states the retraction. */
abstract class RefoldsOtherwise extends ProjectStage {
  constructor(protected readonly own: ProjectDeps) {
    super(own);
  }

  protected async refoldFrom(
    point: RewindPoint,
    retraction: RetractGroup,
    hash: string,
    onTheWay: (group: BlocksGroup, hash: string) => void,
    before: number,
  ): Promise<FactsRetract> {
    await this.fold.rewind(point, retraction);
    for await (const { group, hash: own } of blocksBetween(this.own.log, (point.position?.seq ?? -1) + 1, before)) {
      onTheWay(group, own);
    }
    return this.fold.finishRefold(retraction, hash);
  }

  protected async deadBefore(seq: number): Promise<RetractGroup[]> {
    const dead: RetractGroup[] = [];
    for await (const { group } of blocksBetween(this.own.log, 0, seq)) if (group.kind === 'retract') dead.push(group);
    return dead;
  }
}

/** Rule 9: goes back to the newest state, whether or not its block survived. */
export class UsesDeadStates extends RefoldsOtherwise {
  protected override async refold(retraction: RetractGroup, hash: string): Promise<FactsRetract> {
    const dead = await this.deadBefore(retraction.seq);
    const survives = (group: BlocksGroup): group is BlockGroup | EpochGroup =>
      (group.kind === 'epoch' || group.kind === 'block') &&
      !dead.some(({ fromSeq, seq }) => group.seq >= fromSeq && group.seq <= seq);
    const [point] = this.fold.state.keptStates();
    const apply = (group: BlocksGroup): void => {
      if (survives(group)) this.fold.applySurvivor(group);
    };
    return this.refoldFrom(point!, retraction, hash, apply, retraction.fromSeq);
  }
}

/** Refolds the log as it is, dead forks and all, up to the retraction, but seals nothing on the way. */
export class RefoldAsItStands extends RefoldsOtherwise {
  protected override async refold(retraction: RetractGroup, hash: string): Promise<FactsRetract> {
    const point = pointBelow(this.fold.state.keptStates(), retraction, 0)!;
    const apply = (group: BlocksGroup, own: string): void => {
      if (group.seq === retraction.seq) this.fold.apply(group, own);
      else this.fold.apply(group.kind === 'finalize' ? this.onTheWay(group) : group, own);
    };
    return this.refoldFrom(point, retraction, hash, apply, retraction.seq + 1);
  }

  protected onTheWay(group: FinalizeGroup): FinalizeGroup {
    return { ...group, height: -1 };
  }
}

/** Rule 10: applies the finalizations that it meets again on the way to the retraction. */
export class FinalizesOnTheWay extends RefoldAsItStands {
  protected override onTheWay(group: FinalizeGroup): FinalizeGroup {
    return group;
  }
}

/** Rule 11: keeps only the newest state. */
export const oneState = (): HeapHome =>
  new HeapHome(
    foldSpaces,
    (_, disk) =>
      new (class extends HeapStore {
        override async commit(records: CommitRecords, position: BlockPosition): Promise<void> {
          await super.commit(records, position);
          disk.undo.length = 0;
        }
      })(disk, foldSpaces.length),
  );

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

/** Cuts after the newest of these states where the fold has no objection; true when it was cut. */
async function cutAfter(world: RunningWorld, candidates: readonly number[]): Promise<boolean> {
  const { log, home } = world;
  const place = { log: log.connect(), chain: 'eth', epoch: 1, foldVersion: 1, home, consumers: [] };
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

async function keptSeqs({ home }: RunningWorld): Promise<number[]> {
  const { committed, points } = await home.kept();
  return [committed, ...points.map(({ position }) => position)].flatMap((position) => position?.seq ?? []);
}

/** Asks first, and cuts as high as it may: at the newest state that is still valid. */
export async function cutAtNewestState(world: RunningWorld): Promise<void> {
  if (await cutAfter(world, [world.publishedSeq])) throw new Error('a cut above the fold was not refused');
  await cutAfter(world, await keptSeqs(world));
}

/** Cuts at a state below which nothing that still comes is retracted. */
export const cutBelowRetractions =
  (history: readonly BlocksGroup[]) =>
  async (world: RunningWorld): Promise<void> => {
    const folded = world.log.topic(FACTS.name).groups.at(-1)?.seq ?? -1;
    const coming = history.flatMap((group) => (group.kind === 'retract' && group.seq > folded ? [group] : []));
    const deepest = Math.min(folded, ...coming.map(({ fromSeq }) => fromSeq - 1));
    const below = (await keptSeqs(world)).filter((seq) => seq <= deepest);
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
export const adoptAhead: ReaderMethods = {
  session: {
    due(this: Session): Checkpoint | undefined {
      return (this as unknown as { seen: Checkpoint[] }).seen.at(-1);
    },
  },
  tail: {
    adopt(this: TailBuffer, checkpoint: Checkpoint): boolean {
      const inside = this as unknown as TailInside;
      const { seq, step } = inside.base;
      if (checkpoint.seq < seq || (checkpoint.seq === seq && checkpoint.step <= step)) return false;
      for (const { bytes } of inside.entries.splice(0, checkpoint.seq - seq)) inside.heldBytes -= bytes;
      inside.base = checkpoint;
      inside.newest = null;
      return true;
    },
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

/** Runs with some methods of every tail and session of a reader replaced. */
export async function withReader<T>({ tail = {}, session = {} }: ReaderMethods, run: () => Promise<T>): Promise<T> {
  const restore = [replace(TailBuffer.prototype, tail), replace(Session.prototype, session)];
  try {
    return await run();
  } finally {
    for (const back of restore) back();
  }
}

function replace(prototype: object, methods: object): () => void {
  const genuine = Object.fromEntries(Object.keys(methods).map((name) => [name, Reflect.get(prototype, name)]));
  Object.assign(prototype, methods);
  return () => void Object.assign(prototype, genuine);
}
