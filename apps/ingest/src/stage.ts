/** What every stage of the pipeline shows of itself. `run` ends when the signal aborts and throws when it cannot go on. */
export interface Stage {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
  status(): StageStatus;
}

export interface StageStatus {
  stage: string;
  chain: string;
  seq: number | null;
  height: number | null;
  detail: Record<string, string | number | boolean | null>;
}
