import { pause } from '#libs/platform/backoff.js';
import type { Stage, StageStatus } from '#libs/platform/stage.js';
import { readServedEpoch, runUntilChanged, sameServed, waitForEpoch } from '../served-epoch.js';
import { type ProjectDeps, ProjectStage, type StatePlace } from './project-stage.js';

export interface LiveProjectDeps extends Omit<ProjectDeps, 'epoch' | keyof StatePlace> {
  /** The state of one epoch under one fold version. */
  place(epoch: number, foldVersion: number): StatePlace;
  /** How often it is looked at what is served. */
  pollMs?: number;
  stage?: typeof ProjectStage;
}

/**
 * The fold of the epoch that is served; a new epoch starts a new fold. Facts of another fold version are never written
 * to: they stay as they are until the ones of this program are served instead.
 */
export class LiveProject implements Stage {
  readonly name: string;
  private current: ProjectStage | null = null;
  private waiting: string | null = null;

  constructor(private readonly deps: LiveProjectDeps) {
    this.name = `project.${deps.chain}`;
  }

  status(): StageStatus {
    const { chain } = this.deps;
    const idle = { stage: 'project', chain, seq: null, height: null, detail: { waiting: this.waiting } };
    return this.current?.status() ?? idle;
  }

  run(signal: AbortSignal): Promise<void> {
    return this.runServed((stage, own) => stage.run(own), signal);
  }

  standBy(signal: AbortSignal): Promise<void> {
    return this.runServed((stage, own) => stage.standBy(own), signal);
  }

  private async runServed(
    work: (stage: ProjectStage, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { log, chain, foldVersion, pollMs } = this.deps;
    while (!signal.aborted) {
      const served = await waitForEpoch(log, chain, signal, pollMs);
      if (served === null) return;
      const changed = async () => !sameServed(await readServedEpoch(log, chain), served);
      if (served.foldVersion !== foldVersion) {
        this.current = null;
        this.waiting = `what is served has fold version ${served.foldVersion}, this program ${foldVersion}`;
        while (!signal.aborted && !(await changed())) await pause(pollMs ?? 1_000, signal);
        continue;
      }
      const place = this.deps.place(served.epoch, served.foldVersion);
      const stage = new (this.deps.stage ?? ProjectStage)({ ...this.deps, epoch: served.epoch, ...place });
      this.current = stage;
      this.waiting = null;
      await runUntilChanged((own) => work(stage, own), changed, signal, pollMs);
    }
  }
}
