import { join } from 'node:path';
import type { LogAddress } from '#libs/backends/open-log.js';
import type { EventLog } from '#libs/event-log/log.js';
import { foldVersion } from '#libs/fold/fold-version.js';
import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import type { Logger } from '#libs/platform/logger.js';
import type { StageStatus } from '#libs/platform/stage.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import { DirectorySnapshots } from '#libs/saved-state/snapshot-store.js';
import { storeTables } from '#libs/sink/sink-tables.js';
import type { AnalyticsStore } from '#libs/store/store.js';
import { deadLettering } from './dead-lettering.js';
import { WatchedStage } from './failure-watch.js';
import { ingestStatus } from './ingest-status.js';
import { LiveProject } from './project/live-project.js';
import { LiveSink } from './sink/live-sink.js';
import { createSourceStage } from './source/source-stage.js';
import type { SourceStatus } from './source/source-status.js';
import { createSourceThread } from './source/source-thread.js';
import { StatusPublisher } from './status-publisher.js';

export interface IngestChainDeps {
  log: EventLog;
  store: AnalyticsStore;
  chain: ChainSpec;
  rpcUrls: readonly string[];
  startHeight: number | null;
  dataDir: string;
  /** Publish the keyed topic `trades` for outsiders. */
  keyedTopics: boolean;
  /** Where the log is: with it the source runs in a thread of its own, with its own connection. */
  sourceThread?: LogAddress;
  logger: Logger;
  /** Called after each checkpoint of the sink, so that a reader in the same process need not wait for its poll. */
  onCheckpoint?: () => void;
}

export interface IngestChain {
  /** source, project and sink, in the order of the flow, and who tells of them; each is supervised on its own. */
  readonly stages: SupervisedStage[];
  status(): { chain: string; source: SourceStatus; project: StageStatus; sink: StageStatus };
}

/** One chain from its nodes to the tables. */
export function createIngestChain(deps: IngestChainDeps): IngestChain {
  const { log, store, chain, dataDir } = deps;
  const { slug } = chain;
  const sourceDeps = {
    chain,
    rpcUrls: deps.rpcUrls,
    ...(deps.startHeight === null ? {} : { startHeight: deps.startHeight }),
    dataDir: join(dataDir, 'source', slug),
    foldVersion,
    logger: deps.logger.child({ stage: 'source' }),
  };
  const source =
    deps.sourceThread === undefined
      ? createSourceStage({ ...sourceDeps, log })
      : createSourceThread({ ...sourceDeps, log: deps.sourceThread });
  const project = new LiveProject({
    log,
    chain: slug,
    ...(deps.keyedTopics ? { keyedIds: chain.ids } : {}),
    snapshots: (epoch, version) => new DirectorySnapshots(join(dataDir, 'snapshots', `${slug}.e${epoch}.f${version}`)),
  });
  const sink = new LiveSink({ log, tables: storeTables(store, slug), chain: slug, onCheckpoint: deps.onCheckpoint });
  const behind = [project, sink].map((stage) => deadLettering(stage, log, slug));
  const stages = [{ name: `source.${slug}`, run: (signal: AbortSignal) => source.run(signal) }, ...behind].map(
    (stage) => new WatchedStage(stage),
  );
  const startedAt = Date.now();
  const teller = new StatusPublisher({
    log,
    chain: slug,
    logger: deps.logger.child({ stage: 'status' }),
    status: (at) => {
      const failures = stages.flatMap((stage) => stage.failure() ?? []);
      const view = { source: source.status(), checkpointBlock: sink.status().height, failures };
      return ingestStatus(chain, view, startedAt, at);
    },
  });
  return {
    stages: [...stages, teller],
    status: () => ({ chain: slug, source: source.status(), project: project.status(), sink: sink.status() }),
  };
}
