import type { Steps } from '#libs/core/steps.js';
import type { EventLog } from '#libs/event-log/log.js';
import type { Stage, StageStatus } from '#libs/platform/stage.js';
import { replayTables } from '#libs/sink/replay.js';
import { SinkStage } from '#libs/sink/sink-stage.js';
import type { ChainTables } from '#libs/sink/sink-tables.js';
import type { ServedEpoch } from '../served-epoch.js';
import { readServedEpoch, runUntilChanged, waitForEpoch } from '../served-epoch.js';

export interface LiveSinkDeps {
  log: EventLog;
  tables: ChainTables;
  chain: string;
  steps?: Steps;
  minIntervalMs?: number;
  sealEveryMs?: number;
  onCheckpoint?: () => void;
  /** Called after this sink made other tables the served ones. */
  onFlip?: () => void;
  /** How often the pointer row is looked at without a call of `lookNow`. */
  pointerPollMs?: number;
}

/**
 * The sink of the generation that the pointer row names. A flip (by a replay) moves it to the new generation; a new
 * epoch or fold version is built as the next generation and flipped to, never written into the old tables.
 */
export class LiveSink implements Stage {
  readonly name: string;
  private current: SinkStage | null = null;
  private pointerSeenAt = 0;
  private building: { generation: number; seq: number; target: number } | null = null;

  constructor(private readonly deps: LiveSinkDeps) {
    this.name = `sink.${deps.chain}`;
  }

  status(): StageStatus {
    const status = this.current?.status();
    const building = this.building;
    return {
      stage: 'sink',
      chain: this.deps.chain,
      seq: status?.seq ?? null,
      height: status?.height ?? null,
      detail: { ...status?.detail, ...(building ? { building: building.generation, buildingSeq: building.seq } : {}) },
    };
  }

  /** To be called when this process made other tables the served ones. */
  lookNow(): void {
    this.pointerSeenAt = Number.NEGATIVE_INFINITY;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const served = await waitForEpoch(this.deps.log, this.deps.chain, signal);
      if (served === null) return;
      const generation = await this.generationFor(served, signal);
      const sink = new SinkStage({
        ...this.deps,
        ...served,
        generation,
        tables: this.deps.tables.generation(generation),
      });
      this.current = sink;
      this.lookNow();
      await runUntilChanged(
        (own) => sink.run(own),
        () => this.moved(served, generation),
        signal,
      );
    }
  }

  private async generationFor(served: ServedEpoch, signal: AbortSignal): Promise<number> {
    const { tables } = this.deps;
    const pointer = await tables.readPointer();
    if (pointer === null) {
      await tables.generation(1).ensure();
      await tables.flipPointer({ generation: 1, ...served, seq: -1 });
      this.deps.onFlip?.();
      return 1;
    }
    if (pointer.epoch === served.epoch && pointer.foldVersion === served.foldVersion) return pointer.generation;
    const built = await replayTables({
      ...this.deps,
      ...served,
      signal,
      onProgress: (progress) => {
        this.building = progress;
      },
    });
    this.building = null;
    this.deps.onFlip?.();
    return built.generation;
  }

  private async moved(served: ServedEpoch, generation: number): Promise<boolean> {
    const now = await readServedEpoch(this.deps.log, this.deps.chain);
    if (now !== null && (now.epoch !== served.epoch || now.foldVersion !== served.foldVersion)) return true;
    const at = performance.now();
    if (at - this.pointerSeenAt < (this.deps.pointerPollMs ?? 1_000)) return false;
    this.pointerSeenAt = at;
    return (await this.deps.tables.readPointer())?.generation !== generation;
  }
}
