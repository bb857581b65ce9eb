import { ProjectStage } from '#apps/ingest/src/project/project-stage.js';
import { SequencedWriter } from '#apps/ingest/src/sequenced-writer.js';
import { noSteps } from '#libs/core/steps.js';
import { HeapHome } from '#libs/devkit/testing/heap-home.js';
import { until } from '#libs/devkit/testing/until.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { foldVersion } from '#libs/pipeline/fold/chain-fold.js';
import { foldSpaces } from '#libs/pipeline/fold/fold-spaces.js';
import { SinkStage } from '#libs/pipeline/sink/sink-stage.js';
import { storeTables } from '#libs/pipeline/sink/sink-tables.js';
import type { StateHome } from '#libs/pipeline/state/state-home.js';
import { type Checkpoint, checkpointView } from '#libs/pipeline/store/market/checkpoint.js';
import { MarketTables } from '#libs/pipeline/store/market/market-tables.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { tableHashes } from '#libs/pipeline/store/test/table-hash.js';
import type { Stage } from '#libs/platform/stage.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic, factsTopic } from '#libs/protocol/topics.js';

export const EPOCH = 1;

/** Appends a whole history to `blocks`, as a source would have. */
export async function publishHistory(log: EventLog, groups: readonly BlocksGroup[], perAppend = 64): Promise<void> {
  const topic = blocksTopic(groups[0]!.chain, EPOCH);
  await log.ensureTopics([topic]);
  const writer = new SequencedWriter(log, `source.${groups[0]!.chain}.e${EPOCH}`, topic, noSteps, 'source');
  let next = (await writer.open()) + 1;
  while (next < groups.length) {
    const batch = groups.slice(next, next + perAppend);
    await writer.append(batch.map((group) => ({ seq: group.seq, value: encodeBlocksGroup(group), alsoAppend: [] })));
    next = writer.lastSeq + 1;
  }
  await writer.close();
}

/** Runs a stage until `reached` says so. */
export async function runUntil(stage: Pick<Stage, 'run'>, reached: () => Promise<boolean>): Promise<void> {
  const stop = new AbortController();
  const watch = until('its end', async () => stop.signal.aborted || (await reached()), { everyMs: 2 }).finally(() =>
    stop.abort(),
  );
  watch.catch(() => undefined); // it comes out below
  try {
    await stage.run(stop.signal);
  } finally {
    stop.abort();
    await watch;
  }
}

/** Folds what `blocks` holds into `facts`, to its end. */
export async function projectAll(
  log: EventLog,
  chain: string,
  home: StateHome = new HeapHome(foldSpaces),
): Promise<void> {
  const last = (await log.lastGroup(blocksTopic(chain, EPOCH)))!.seq;
  const stage = new ProjectStage({ log, chain, epoch: EPOCH, foldVersion, home, commits: { everyBlocks: 20 } });
  await runUntil(stage, async () => (stage.status().detail.factsSeq as number) >= last);
}

/** Writes what `facts` holds into a generation of tables, to its end, and seals candles up to the given time. */
export async function sinkAll(
  log: EventLog,
  store: AnalyticsStore,
  chain: string,
  generation: number,
  options: { maxGroups?: number; sealTo?: number } = {},
): Promise<Checkpoint> {
  const last = (await log.lastGroup(factsTopic(chain, EPOCH, foldVersion)))!.seq;
  const tables = storeTables(store, chain).generation(generation);
  let reached = -1;
  const stage = new SinkStage({
    ...{ log, tables, chain, epoch: EPOCH, foldVersion, generation, minIntervalMs: 0, sealEveryMs: 600_000 },
    maxGroups: options.maxGroups,
    onCheckpoint: ({ seq }) => {
      reached = seq;
    },
  });
  await runUntil(stage, async () => reached >= last);
  const checkpoint = (await tables.readCheckpoint())!;
  if (options.sealTo === undefined) return checkpoint;
  await tables.seal(checkpoint, options.sealTo);
  const sealed = { ...checkpoint, step: checkpoint.step + 1, sealSeq: checkpoint.seq, sealedTime: options.sealTo };
  await tables.writeCheckpoint(sealed);
  return sealed;
}

export function hashesOf(
  store: AnalyticsStore,
  chain: string,
  checkpoint: Checkpoint,
  options: { ignoreSeq?: boolean } = {},
): Promise<Record<string, string>> {
  return tableHashes(new MarketTables(store, chain, checkpoint.generation), checkpointView(checkpoint), options);
}
