import { UndecodableError } from '#libs/core/errors.js';
import type { Steps } from '#libs/core/steps.js';
import type { FactsVersion } from '#libs/pipeline/epochs/served-epoch.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { decodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import { generationToBuild } from '#libs/pipeline/sink/generation-to-build.js';
import { SinkStage } from '#libs/pipeline/sink/sink-stage.js';
import type { ChainTables } from '#libs/pipeline/sink/sink-tables.js';
import type { Checkpoint } from '#libs/pipeline/store/market/checkpoint.js';
import type { Pointer } from '#libs/pipeline/store/market/pointer.js';
import { pause } from '#libs/platform/backoff.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic, factsTopic } from '#libs/protocol/topics.js';
import { type ProjectDeps, ProjectStage, type StatePlace } from '../project/project-stage.js';

export interface VersionBuildDeps extends Omit<ProjectDeps, 'epoch' | 'steps' | keyof StatePlace> {
  tables: ChainTables;
  place(epoch: number, foldVersion: number): StatePlace;
  steps: Steps;
  minIntervalMs?: number;
  stage?: typeof ProjectStage;
}

export interface BuildMeasure {
  done: number;
  total: number;
  /** It reaches as far forward as its blocks and as what is served. */
  caughtUp: boolean;
}

/** At the head a look at the end of blocks is out of date after this many groups at most. */
const NEAR_GROUPS = 256;

/**
 * The fold and the sink of a version that is not served yet, both continuing what is there. It knows how far the served
 * version is and compares: by seq within one epoch, by height between two.
 */
export class VersionBuild {
  private goal: number | null = null;

  private constructor(
    private readonly deps: VersionBuildDeps,
    private readonly target: FactsVersion,
    private readonly served: FactsVersion,
    private readonly pointer: Pointer,
    readonly generation: number,
    /** How far its tables are. */
    public checkpoint: Checkpoint | null,
    /** End of the served facts, to which nothing is appended any more. */
    private readonly keyedAfterSeq: number | null,
  ) {}

  static async open(
    deps: VersionBuildDeps,
    target: FactsVersion,
    served: FactsVersion,
    pointer: Pointer,
  ): Promise<VersionBuild> {
    const { log, chain } = deps;
    const generation = await generationToBuild(deps, target, pointer, false);
    const own = deps.tables.generation(generation);
    await own.ensure();
    const checkpoint = await own.readCheckpoint();
    await log.ensureTopics([blocksTopic(chain, target.epoch), factsTopic(chain, target.epoch, target.foldVersion)]);
    // Outsiders get each trade once: from here only what the served fold can no longer publish.
    const takesOver = target.epoch === served.epoch;
    const end = takesOver ? ((await lastFacts(log, chain, served))?.seq ?? -1) : null;
    return new VersionBuild(deps, target, served, pointer, generation, checkpoint, end);
  }

  /** Runs until a look says so; `flip` is called while both still run. True when it flipped. */
  async run(
    look: () => Promise<'on' | 'ready' | 'obsolete'>,
    pollMs: number,
    signal: AbortSignal,
    flip: (seq: number) => Promise<void>,
  ): Promise<boolean> {
    const end = new AbortController();
    const both = AbortSignal.any([signal, end.signal]);
    let failure: { error: unknown } | null = null;
    const fail = (error: unknown): void => {
      failure ??= { error };
      end.abort();
    };
    const running = [this.fold().run(both), this.sink().run(both)].map((stage) => stage.catch(fail));
    let flipped = false;
    try {
      while (!both.aborted) {
        const found = await look();
        if (both.aborted || found === 'obsolete') break;
        if (found === 'ready') {
          await flip(this.checkpoint!.seq);
          flipped = true;
          break;
        }
        await pause(pollMs, both);
      }
    } finally {
      end.abort();
      await Promise.all(running);
    }
    // After the flip the stages of the served version may have taken over already.
    if (failure !== null && !flipped) throw (failure as { error: unknown }).error;
    return flipped;
  }

  async measure(): Promise<BuildMeasure> {
    const { log, chain } = this.deps;
    const blocks = blocksTopic(chain, this.target.epoch);
    const end = (await log.lastGroup(blocks))?.seq ?? -1;
    const served = await this.servedEnd();
    const own = this.checkpoint;
    const sameEpoch = this.target.epoch === this.served.epoch;
    const reached = own?.seq ?? -1;
    this.goal ??= end;
    let caughtUp = reached >= this.goal;
    if (caughtUp && end - reached > NEAR_GROUPS) {
      this.goal = end;
      caughtUp = false;
    }
    if (sameEpoch) return { done: reached + 1, total: end + 1, caughtUp: caughtUp && reached >= served.seq };
    const start = await this.startHeight();
    const height = own?.height ?? start;
    return {
      done: Math.max(0, height - start),
      total: Math.max(1, served.height - start),
      caughtUp: caughtUp && height >= served.height && reached >= 0,
    };
  }

  /** How far readers are: the end of the served facts, or the tables where those are ahead. */
  private async servedEnd(): Promise<{ seq: number; height: number }> {
    const { log, chain, tables } = this.deps;
    const facts = await lastFacts(log, chain, this.served);
    const checkpoint = await tables.generation(this.pointer.generation).readCheckpoint();
    return {
      seq: Math.max(facts?.seq ?? -1, checkpoint?.seq ?? -1),
      height: Math.max(facts?.height ?? -1, checkpoint?.height ?? -1),
    };
  }

  private start: number | null = null;

  private async startHeight(): Promise<number> {
    if (this.start !== null) return this.start;
    const { log, chain } = this.deps;
    const first = await log.firstGroup(blocksTopic(chain, this.target.epoch));
    if (first === null) return 0;
    this.start = decodeBlocksGroup(first.value).height;
    return this.start;
  }

  private fold(): ProjectStage {
    const { epoch, foldVersion } = this.target;
    const { keyedIds, ...deps } = this.deps;
    return new (this.deps.stage ?? ProjectStage)({
      ...deps,
      ...{ epoch, foldVersion },
      ...this.deps.place(epoch, foldVersion),
      ...(keyedIds && this.keyedAfterSeq !== null ? { keyedIds, keyedAfterSeq: this.keyedAfterSeq } : {}),
    });
  }

  private sink(): SinkStage {
    const { log, chain, tables, steps, minIntervalMs = 0 } = this.deps;
    const { epoch, foldVersion } = this.target;
    return new SinkStage({
      ...{ log, chain, steps, epoch, foldVersion, minIntervalMs },
      generation: this.generation,
      tables: tables.generation(this.generation),
      onCheckpoint: (checkpoint) => {
        this.checkpoint = checkpoint;
      },
    });
  }
}

/** Seq and height of the last facts group; the height of a group that this program cannot read is unknown. */
async function lastFacts(
  log: EventLog,
  chain: string,
  { epoch, foldVersion }: FactsVersion,
): Promise<{ seq: number; height: number } | null> {
  const topic = factsTopic(chain, epoch, foldVersion);
  await log.ensureTopics([topic]);
  const last = await log.lastGroup(topic);
  if (last === null) return null;
  try {
    return { seq: last.seq, height: decodeFactsGroup(last.value).height };
  } catch (error) {
    if (!(error instanceof UndecodableError)) throw error;
    return { seq: last.seq, height: -1 };
  }
}
