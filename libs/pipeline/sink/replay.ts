import { TidepoolError } from '#libs/core/errors.js';
import type { Steps } from '#libs/core/steps.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { factsTopic } from '#libs/protocol/topics.js';
import { checkpointOf, generationToBuild } from './generation-to-build.js';
import { SinkStage } from './sink-stage.js';
import { type ChainTables, storeTables } from './sink-tables.js';

export interface ReplayDeps {
  log: EventLog;
  store: AnalyticsStore;
  chain: string;
  /** Default: the epoch and fold version that are served now. */
  epoch?: number;
  foldVersion?: number;
  signal: AbortSignal;
  onProgress?: (progress: ReplayProgress) => void;
}

interface ReplayProgress {
  generation: number;
  seq: number;
  /** Where the facts topic, or the live sink, was at the last look. */
  target: number;
}

/**
 * Builds another generation of a chain's tables next to the live one with an ordinary sink of its own, and flips one pointer
 * row once its checkpoint is at or above the live one (rule 21). An interrupted replay continues where it was, but only
 * one of the same epoch and fold version.
 */
export function replayChain(deps: ReplayDeps): Promise<{ generation: number; seq: number }> {
  return replayTables({ ...deps, tables: storeTables(deps.store, deps.chain) });
}

export async function replayTables(
  deps: Omit<ReplayDeps, 'store'> & { tables: ChainTables; steps?: Steps; mayFlipBehind?: boolean },
): Promise<{ generation: number; seq: number }> {
  const pointer = await deps.tables.readPointer();
  if (pointer === null) {
    throw new TidepoolError('nothing_to_replay', `chain ${deps.chain} has no tables yet: start the service once first`);
  }
  const epoch = deps.epoch ?? pointer.epoch;
  const foldVersion = deps.foldVersion ?? pointer.foldVersion;
  const generation = await generationToBuild(deps, { epoch, foldVersion }, pointer, true);
  const sameLog = epoch === pointer.epoch && foldVersion === pointer.foldVersion;
  const live = deps.tables.generation(pointer.generation);
  const built = deps.tables.generation(generation);
  let target = (await deps.log.lastGroup(factsTopic(deps.chain, epoch, foldVersion)))?.seq ?? -1;
  let reached = (await built.exists()) ? ((await checkpointOf(built))?.seq ?? -1) : -1;
  for (;;) {
    const liveSeq = sameLog ? ((await live.readCheckpoint())?.seq ?? -1) : -1;
    if (reached >= target && (reached >= liveSeq || deps.mayFlipBehind)) break;
    target = Math.max(target, liveSeq);
    reached = await catchUp(target);
  }
  await deps.steps?.('replay.before-flip');
  await deps.tables.flipPointer({ generation, epoch, foldVersion, seq: reached });
  await deps.steps?.('replay.after-flip');
  return { generation, seq: reached };

  async function catchUp(until: number): Promise<number> {
    const stop = new AbortController();
    let seq = -1;
    const sink = new SinkStage({
      log: deps.log,
      tables: built,
      chain: deps.chain,
      epoch,
      foldVersion,
      generation,
      steps: deps.steps,
      minIntervalMs: 0,
      onCheckpoint: (checkpoint) => {
        seq = checkpoint.seq;
        deps.onProgress?.({ generation, seq, target: Math.max(until, seq) });
        if (checkpoint.state === 'live' && seq >= until) stop.abort();
      },
    });
    await sink.run(AbortSignal.any([deps.signal, stop.signal]));
    deps.signal.throwIfAborted();
    if (seq >= until) return seq;
    throw new TidepoolError('replay_stopped', `replay of ${deps.chain} stopped at seq ${seq} of ${until}`);
  }
}
