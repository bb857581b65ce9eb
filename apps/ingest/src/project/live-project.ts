import type { Stage, StageStatus } from '#libs/platform/stage.js';
import type { SnapshotStore } from '#libs/saved-state/snapshot-store.js';
import { readServedEpoch, runUntilChanged, waitForEpoch } from '../served-epoch.js';
import { type ProjectDeps, ProjectStage } from './project-stage.js';

export interface LiveProjectDeps extends Omit<ProjectDeps, 'epoch' | 'foldVersion' | 'snapshots'> {
  /** The snapshots of one epoch under one fold version. */
  snapshots(epoch: number, foldVersion: number): SnapshotStore;
}

/** The fold of the epoch that is served; a new epoch starts a new fold. */
export class LiveProject implements Stage {
  readonly name: string;
  private current: ProjectStage | null = null;

  constructor(private readonly deps: LiveProjectDeps) {
    this.name = `project.${deps.chain}`;
  }

  status(): StageStatus {
    return this.current?.status() ?? { stage: 'project', chain: this.deps.chain, seq: null, height: null, detail: {} };
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const served = await waitForEpoch(this.deps.log, this.deps.chain, signal);
      if (served === null) return;
      const snapshots = this.deps.snapshots(served.epoch, served.foldVersion);
      const stage = new ProjectStage({ ...this.deps, ...served, snapshots });
      this.current = stage;
      await runUntilChanged(
        (own) => stage.run(own),
        async () => {
          const now = await readServedEpoch(this.deps.log, this.deps.chain);
          return now !== null && (now.epoch !== served.epoch || now.foldVersion !== served.foldVersion);
        },
        signal,
      );
    }
  }
}
