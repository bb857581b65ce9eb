import type { Steps } from '#libs/core/steps.js';
import type { FactsVersion } from '#libs/pipeline/epochs/served-epoch.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { checkpointOf, generationToBuild } from '#libs/pipeline/sink/generation-to-build.js';
import { SinkStage } from '#libs/pipeline/sink/sink-stage.js';
import type { ChainTables } from '#libs/pipeline/sink/sink-tables.js';
import type { Pointer } from '#libs/pipeline/store/market/pointer.js';
import type { Stage, StageStatus } from '#libs/platform/stage.js';
import { aborted, readEpochRecords, runUntilChanged, type ServedEpoch, waitForEpoch } from '../served-epoch.js';

export interface LiveSinkDeps {
  log: EventLog;
  tables: ChainTables;
  chain: string;
  /** Of this program: tables of another one are left alone. */
  foldVersion?: number;
  steps?: Steps;
  minIntervalMs?: number;
  sealEveryMs?: number;
  onCheckpoint?: () => void;
  /** Called after this sink made other tables the served ones. */
  onFlip?: () => void;
  /** How often the pointer row is looked at without a call of `lookNow`. */
  pointerPollMs?: number;
  /** How often it is looked at which generation is served. */
  pollMs?: number;
}

/**
 * The sink of the generation that the pointer row names. A flip moves it to the new generation. Another version of the
 * facts is built next to it by the upgrade, never written into the same tables; only where nothing can be waited for (the
 * first start, another chain) the pointer follows at once.
 */
export class LiveSink implements Stage {
  readonly name: string;
  private current: SinkStage | null = null;
  /** How far the served tables are, where they are not this program's. */
  private others: { seq: number | null; height: number | null; waiting: string } | null = null;
  private pointerSeenAt = 0;
  private pointer: Pointer | null = null;

  constructor(private readonly deps: LiveSinkDeps) {
    this.name = `sink.${deps.chain}`;
  }

  status(): StageStatus {
    const { others } = this;
    const status = this.current?.status();
    return {
      stage: 'sink',
      chain: this.deps.chain,
      seq: others?.seq ?? status?.seq ?? null,
      height: others?.height ?? status?.height ?? null,
      detail: { ...status?.detail, ...(others === null ? {} : { waiting: others.waiting }) },
    };
  }

  /** To be called when this process made other tables the served ones. */
  lookNow(): void {
    this.pointerSeenAt = Number.NEGATIVE_INFINITY;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log, chain, tables, pollMs } = this.deps;
    while (!signal.aborted) {
      const served = await waitForEpoch(log, chain, signal, pollMs);
      if (served === null) return;
      const pointer = await this.pointerFor(served);
      const { generation, epoch, foldVersion } = pointer;
      const sink = new SinkStage({
        ...this.deps,
        ...{ epoch, foldVersion, generation },
        tables: tables.generation(generation),
      });
      this.current = sink;
      this.lookNow();
      const isOthers = this.deps.foldVersion !== undefined && foldVersion !== this.deps.foldVersion;
      await runUntilChanged(
        (own) => (isOthers ? this.leaveAlone(generation, foldVersion, own) : sink.run(own)),
        () => this.moved(generation),
        signal,
        pollMs,
      );
    }
  }

  /**
   * Tables of another fold version are never written to, and their schema is left as it is: the program of that version
   * continues them when it comes back. Readers take what facts hold above their checkpoint from memory.
   */
  private async leaveAlone(generation: number, foldVersion: number, signal: AbortSignal): Promise<void> {
    const checkpoint = await checkpointOf(this.deps.tables.generation(generation));
    const waiting = `what is served has fold version ${foldVersion}, this program ${this.deps.foldVersion}`;
    this.others = { seq: checkpoint?.seq ?? null, height: checkpoint?.height ?? null, waiting };
    await aborted(signal);
    this.others = null;
  }

  private async pointerFor(served: ServedEpoch): Promise<FactsVersion & { generation: number }> {
    const { tables } = this.deps;
    const pointer = await tables.readPointer();
    const next = pointer === null ? served : await this.startsOver(pointer);
    if (pointer !== null && next === null) return pointer;
    const { epoch, foldVersion } = next!;
    const version = { epoch, foldVersion };
    const generation = pointer === null ? 1 : await generationToBuild(this.deps, version, pointer, true);
    await tables.generation(generation).ensure();
    await tables.flipPointer({ generation, ...version, seq: -1 });
    this.deps.onFlip?.();
    return { generation, ...version };
  }

  private async moved(generation: number): Promise<boolean> {
    const at = performance.now();
    if (this.pointer === null || at - this.pointerSeenAt >= (this.deps.pointerPollMs ?? 1_000)) {
      this.pointerSeenAt = at;
      this.pointer = await this.deps.tables.readPointer();
    }
    const { pointer } = this;
    return pointer === null || pointer.generation !== generation || (await this.startsOver(pointer)) !== null;
  }

  /**
   * The epoch that is served without having been waited for. The pointer is read before the records: where a flip has
   * moved it, they show that flip or its end.
   */
  private async startsOver(pointer: Pointer): Promise<FactsVersion | null> {
    const { served, flip } = await readEpochRecords(this.deps.log, this.deps.chain);
    return served !== null && flip === null && pointer.epoch < served.epoch ? served : null;
  }
}
