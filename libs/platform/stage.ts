import type { SupervisedStage } from './supervisor.js';

/**
 * A stage of the pipeline reports its progress. `run` ends when the signal aborts and throws when it cannot continue.
 */
export interface Stage extends SupervisedStage {
  status(): StageStatus;
}

export interface StageStatus {
  stage: string;
  chain: string;
  seq: number | null;
  height: number | null;
  detail: Record<string, string | number | boolean | null>;
}
