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
}

/**
 * The sink of the generation that the pointer row names. A flip (by a replay) moves it to the new generation; a new
 * epoch or fold version is built as the next generation and flipped to, never written into the old tables.
 */
export class LiveSink implements Stage {
  readonly name: string;
  private current: SinkStage | null = null;
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
    return built.generation;
  }

  private async moved(served: ServedEpoch, generation: number): Promise<boolean> {
    const now = await readServedEpoch(this.deps.log, this.deps.chain);
    if (now !== null && (now.epoch !== served.epoch || now.foldVersion !== served.foldVersion)) return true;
    return (await this.deps.tables.readPointer())?.generation !== generation;
  }
}
