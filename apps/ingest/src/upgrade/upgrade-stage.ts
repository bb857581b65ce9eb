import { noSteps, type Steps } from '#libs/core/steps.js';
import { foldsAgain } from '#libs/pipeline/epochs/next-epoch.js';
import {
  type EpochRecords,
  type FactsVersion,
  readEpochRecords,
  type ServedEpoch,
  sameServed,
  versionName,
} from '#libs/pipeline/epochs/served-epoch.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { ChainTables } from '#libs/pipeline/sink/sink-tables.js';
import type { Pointer } from '#libs/pipeline/store/market/pointer.js';
import { pause } from '#libs/platform/backoff.js';
import type { Stage, StageStatus } from '#libs/platform/stage.js';
import { blocksTopic } from '#libs/protocol/topics.js';
import type { ProjectDeps, ProjectStage, StatePlace } from '../project/project-stage.js';
import { waitForEpoch } from '../served-epoch.js';
import { BuildProgress } from './build-progress.js';
import { DropReplaced } from './drop-replaced.js';
import { UpgradeRecords } from './upgrade-records.js';
import { VersionBuild } from './version-build.js';

interface UpgradeLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface UpgradeDeps extends Omit<ProjectDeps, 'epoch' | 'steps' | keyof StatePlace> {
  log: EventLog;
  tables: ChainTables;
  /** The state of one epoch under one fold version. */
  place(epoch: number, foldVersion: number): StatePlace;
  /** How long what was replaced is kept for a way back. */
  keepReplacedMs?: number;
  steps?: Steps;
  logger?: UpgradeLogger;
  pollMs?: number;
  /** How often everything is looked at while the records of the epochs stay as they are. */
  restMs?: number;
  minIntervalMs?: number;
  now?: () => number;
  stage?: typeof ProjectStage;
}

const THREE_DAYS_MS = 3 * 86_400_000;

/** What is to be built, and why. */
interface Target extends FactsVersion {
  reason: string;
  /** Why it cannot be served even when it has caught up; null when it can. */
  refused: string | null;
}

/**
 * Builds what this program would serve next to what is served: facts and tables of another fold version or epoch. Invariant:
 * what is served changes only by the flip of the pointer row, and only to a version that reaches as far back and as far
 * forward as what it replaces. A version that was built already is continued, not built again, so two programs that run
 * in turn only ever catch up.
 */
export class UpgradeStage implements Stage {
  readonly name: string;
  private readonly step: Steps;
  private readonly pollMs: number;
  private readonly now: () => number;
  private readonly records: UpgradeRecords;
  private readonly dropping: DropReplaced;
  private building: { target: Target; served: ServedEpoch; build: VersionBuild; progress: BuildProgress } | null = null;
  private waiting: string | null = null;

  constructor(private readonly deps: UpgradeDeps) {
    this.name = `upgrade.${deps.chain}`;
    this.step = deps.steps ?? noSteps;
    this.pollMs = deps.pollMs ?? 500;
    this.now = deps.now ?? Date.now;
    this.records = new UpgradeRecords(deps.log, deps.chain);
    this.dropping = new DropReplaced({ ...deps, records: this.records, keepMs: deps.keepReplacedMs ?? THREE_DAYS_MS });
  }

  status(): StageStatus {
    const { building, waiting } = this;
    const detail: StageStatus['detail'] =
      building === null
        ? { building: null, waiting }
        : {
            building: versionName(building.target),
            served: versionName(building.served),
            generation: building.build.generation,
            reason: building.target.reason,
            percent: building.progress.percent,
            etaSeconds: building.progress.etaSeconds,
            waiting,
          };
    const seq = building?.build.checkpoint?.seq ?? null;
    const height = building?.build.checkpoint?.height ?? null;
    return { stage: 'upgrade', chain: this.deps.chain, seq, height, detail };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log, chain, tables } = this.deps;
    if ((await waitForEpoch(log, chain, signal, this.pollMs)) === null) return;
    await this.records.open();
    let seen = { records: '', at: Number.NEGATIVE_INFINITY };
    try {
      while (!signal.aborted) {
        // The records are small and near; the pointer is a question to the tables.
        const text = JSON.stringify(await readEpochRecords(log, chain));
        const at = performance.now();
        if (text === seen.records && at - seen.at < (this.deps.restMs ?? 0)) {
          await pause(this.pollMs, signal);
          continue;
        }
        seen = { records: text, at };
        const pointer = await tables.readPointer();
        const records = await readEpochRecords(log, chain);
        if (pointer !== null && records.served !== null) {
          if (records.flip !== null) {
            await this.settleFlip(records, pointer);
            continue;
          }
          const target = await this.target(records.served, records, pointer);
          if (target !== null) {
            seen.at = Number.NEGATIVE_INFINITY;
            await this.build(target, records.served, pointer, signal);
            continue;
          }
          await this.dropping.dropDue(records, pointer, this.now());
        }
        await pause(this.pollMs, signal);
      }
    } finally {
      await this.records.close();
    }
  }

  /** A process was killed around the flip: the pointer row says whether it took place. */
  private async settleFlip({ served, flip }: EpochRecords, pointer: Pointer): Promise<void> {
    const took = pointer.generation === flip!.generation && sameServed(pointer, flip);
    if (!took) return this.records.abandonFlip();
    const from = await this.generationOf(served!, pointer);
    await this.records.conclude(flip!, served!, { ...pointer, ...served!, generation: from }, this.now());
  }

  /** The generation that held a version before the pointer left it. */
  private async generationOf(version: FactsVersion, pointer: Pointer): Promise<number> {
    const { tables } = this.deps;
    for (const generation of (await tables.generations()).toReversed()) {
      if (generation === pointer.generation) continue;
      const checkpoint = await tables.generation(generation).readCheckpoint();
      if (checkpoint !== null && sameServed(checkpoint, version)) return generation;
    }
    return 0;
  }

  /**
   * First the served epoch under this program's fold version, since its blocks are in the log and new ones can then be
   * folded again; then the epoch that the source reads next to it. The way back to an older epoch goes there directly: its
   * program may not know what newer blocks hold.
   */
  private async target(served: ServedEpoch, records: EpochRecords, pointer: Pointer): Promise<Target | null> {
    const { log, chain, foldVersion } = this.deps;
    this.waiting = null;
    if (!sameServed(pointer, served)) return null; // the sink is about to follow
    const { building } = records;
    if (foldsAgain(served, foldVersion, building)) {
      const first = await log.firstGroup(blocksTopic(chain, served.epoch));
      if (first?.seq === 0 || (await this.hasState(served.epoch))) {
        const reason = `fold version ${foldVersion} instead of ${served.foldVersion}`;
        return { epoch: served.epoch, foldVersion, reason, refused: null };
      }
      this.waiting = `${blocksTopic(chain, served.epoch).name} is cut: fold version ${foldVersion} needs a new epoch`;
    }
    if (building === null || building.epoch === served.epoch) return null;
    const shrinks = building.startHeight > building.replacedStart && !building.cutAccepted;
    return {
      ...{ epoch: building.epoch, foldVersion, reason: building.reason },
      refused: shrinks
        ? `it begins at block ${building.startHeight}, what is served at ${building.replacedStart}: accept the cut with tidepool upgrade --accept-cut ${chain} ${building.startHeight}`
        : null,
    };
  }

  private async hasState(epoch: number): Promise<boolean> {
    const { home } = this.deps.place(epoch, this.deps.foldVersion);
    return (await home.kept()).committed !== null;
  }

  private async build(target: Target, served: ServedEpoch, pointer: Pointer, signal: AbortSignal): Promise<void> {
    const { chain, logger } = this.deps;
    const build = await VersionBuild.open({ ...this.deps, steps: this.step }, target, served, pointer);
    const progress = new BuildProgress();
    this.building = { target, served, build, progress };
    const fields = { chain, from: versionName(served), to: versionName(target), generation: build.generation };
    logger?.info(fields, `upgrade: building ${target.reason}; the old is served meanwhile`);
    let toldWaiting: string | null = null;
    const look = async (): Promise<'on' | 'ready' | 'obsolete'> => {
      const at = await build.measure();
      progress.note(at.done, at.total, at.caughtUp);
      if (progress.isDue) logger?.info(fields, `upgrade: ${target.reason}: ${progress.sentence}`);
      if (await this.obsolete(target, served, pointer)) return 'obsolete';
      this.waiting = at.caughtUp ? target.refused : null;
      if (this.waiting !== null && this.waiting !== toldWaiting) {
        toldWaiting = this.waiting;
        logger?.warn(fields, `upgrade: ${target.reason} is not served: ${toldWaiting}`);
      }
      return at.caughtUp && target.refused === null ? 'ready' : 'on';
    };
    try {
      const ready = await build.run(look, this.pollMs, signal, async (seq) => {
        await this.flip({ ...target, generation: build.generation }, seq);
      });
      if (!ready) return;
      const { epoch, foldVersion } = target;
      await this.step('upgrade.before-conclude');
      const flip = { epoch, foldVersion, generation: build.generation };
      await this.records.conclude(flip, served, pointer, this.now(), progress.rate);
      logger?.info(fields, `upgrade: ${target.reason} is served`);
    } finally {
      this.building = null;
    }
  }

  private async flip({ epoch, foldVersion, generation }: Target & { generation: number }, seq: number): Promise<void> {
    await this.step('upgrade.before-announce');
    await this.records.announce({ epoch, foldVersion, generation });
    await this.step('upgrade.before-flip');
    await this.deps.tables.flipPointer({ generation, epoch, foldVersion, seq });
    await this.step('upgrade.after-flip');
  }

  /** Something else is served or to be built now. */
  private async obsolete(target: Target, served: ServedEpoch, pointer: Pointer): Promise<boolean> {
    const { log, chain, tables } = this.deps;
    const now = await tables.readPointer();
    if (now === null || now.generation !== pointer.generation) return true;
    const records = await readEpochRecords(log, chain);
    if (records.served === null || !sameServed(records.served, served)) return true;
    const wanted = await this.target(records.served, records, now);
    return wanted === null || !sameServed(wanted, target) || wanted.refused !== target.refused;
  }
}
