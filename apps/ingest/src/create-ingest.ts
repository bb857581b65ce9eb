import { join } from 'node:path';
import type { LogAddress } from '#libs/app/backends/open-log.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { foldHomeIn, oldSnapshotsDir } from '#libs/pipeline/fold/fold-home.js';
import { foldVersion } from '#libs/pipeline/fold/fold-version.js';
import { storeTables } from '#libs/pipeline/sink/sink-tables.js';
import { type AnalyticsStore, pollMsOf } from '#libs/pipeline/store/store.js';
import type { ChainReading } from '#libs/platform/config.js';
import type { Logger } from '#libs/platform/logger.js';
import type { Stage, StageStatus } from '#libs/platform/stage.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import { deadLettering } from './dead-lettering.js';
import { WatchedStage } from './failure-watch.js';
import { ingestStatus } from './ingest-status.js';
import { type ChainLease, type LeaseStatus, SoleLease } from './lease/chain-lease.js';
import { LeasedStage, type StandbyStage } from './lease/leased-stage.js';
import { LiveProject } from './project/live-project.js';
import type { StatePlace } from './project/project-stage.js';
import { LiveSink } from './sink/live-sink.js';
import { createSourceStage } from './source/source-stage.js';
import type { SourceStage, SourceStatus } from './source/source-status.js';
import { createSourceThread } from './source/source-thread.js';
import { StatusPublisher } from './status-publisher.js';
import { UpgradeStage } from './upgrade/upgrade-stage.js';

interface SharedDeps {
  log: EventLog;
  chain: ChainSpec;
}

export interface SourceDeps extends SharedDeps {
  rpcUrls: readonly string[];
  startHeight: number | null;
  /** Absent: as nodes have it, and samples. */
  reading?: ChainReading;
  /** Slots of a Solana chain that no node completes are taken as they are. */
  takeIncomplete?: boolean;
  dataDir: string;
  /** Where the log is: with it the source runs in a thread of its own, with its own connection. */
  sourceThread?: LogAddress;
  /** The present term of the chain's lease; null: no other process can hold it. */
  term?: () => string | null;
  logger: Logger;
}

export interface ProjectDeps extends SharedDeps {
  dataDir: string;
  /** Publish the keyed topic `trades` for outsiders. */
  keyedTopics: boolean;
  /** Most tokens, pools and ticks of the chain that the fold keeps as objects. */
  foldObjects?: number;
  /** The compiled entry of the thread that commits the state, where this module is not run compiled. */
  commitThread?: URL;
}

export interface SinkDeps extends SharedDeps {
  store: AnalyticsStore;
  /** Longest between two inserts at the head. */
  insertEveryMs?: number;
  /** Called after each checkpoint of the sink, so that a reader in the same process need not wait for its poll. */
  onCheckpoint?: () => void;
  /** The same for a change of the tables that are served. */
  onFlip?: () => void;
}

export interface UpgradeDeps extends ProjectDeps {
  store: AnalyticsStore;
  logger: Logger;
  /** How long what an upgrade replaced is kept for a way back. */
  keepReplacedMs?: number;
}

export type IngestChainDeps = SourceDeps & ProjectDeps & SinkDeps & UpgradeDeps;

/** What a chain's stages say of themselves. */
export interface IngestChainStatus {
  chain: string;
  source: SourceStatus;
  project: StageStatus;
  sink: StageStatus;
  upgrade: StageStatus;
  lease: LeaseStatus;
}

/** The stage from a chain's nodes to its blocks: in a thread of its own where the log can be opened there. */
export function createSource(deps: SourceDeps): SourceStage {
  const { log, chain, rpcUrls, startHeight, reading, takeIncomplete = false, dataDir, logger } = deps;
  const { sourceThread, term = () => null } = deps;
  const { proof = 'sampled', way = 'auto' } = reading ?? {};
  const shared = {
    ...{ chain, rpcUrls, foldVersion },
    ...(startHeight === null ? {} : { startHeight }),
    solanaOptions: { takeIncomplete, ...(proof === 'every' && { checks: { sampleEvery: 1 } }) },
    dataDir: join(dataDir, 'source', chain.slug),
    logger: logger.child({ stage: 'source' }),
    options: { proof, ...(way !== 'auto' && { history: { way } }) },
  };
  if (sourceThread === undefined) return createSourceStage({ ...shared, log });
  return createSourceThread({ ...shared, log: sourceThread, term });
}

/** Where the fold keeps its state, and how much of it stays in memory as objects. */
function stateOf({ chain, dataDir, foldObjects, commitThread }: ProjectDeps) {
  return {
    ...(foldObjects === undefined ? {} : { fold: { objects: foldObjects } }),
    place: (epoch: number, version: number): StatePlace => {
      const place = { chain: chain.slug, epoch, foldVersion: version };
      const home = foldHomeIn(dataDir, place, { commitThread });
      return { home, oldSnapshotsDir: oldSnapshotsDir(dataDir, place) };
    },
  };
}

export function createProject(deps: ProjectDeps): Stage {
  const { log, chain, keyedTopics } = deps;
  return new LiveProject({
    log,
    chain: chain.slug,
    foldVersion,
    ...(keyedTopics ? { keyedIds: chain.ids } : {}),
    ...stateOf(deps),
  });
}

export function createSink({ log, store, chain, onCheckpoint, onFlip, insertEveryMs }: SinkDeps): LiveSink {
  return new LiveSink({
    ...{ log, tables: storeTables(store, chain.slug), chain: chain.slug, foldVersion, onCheckpoint, onFlip },
    ...{ minIntervalMs: insertEveryMs, pointerPollMs: pollMsOf(store) },
  });
}

/** In polls of the store: records of the epochs, which say almost everything, are looked at all the while. */
const UPGRADE_RESTS = 4;
const UPGRADE_REST_MS = 5_000;

/** What builds another version of facts and tables next to the served one. */
export function createUpgrade(deps: UpgradeDeps): Stage {
  const { log, store, chain, keyedTopics, keepReplacedMs, logger } = deps;
  const restMs = Math.max(UPGRADE_REST_MS, UPGRADE_RESTS * pollMsOf(store));
  return new UpgradeStage({
    ...{ log, chain: chain.slug, foldVersion, keepReplacedMs, restMs },
    tables: storeTables(store, chain.slug),
    logger: logger.child({ stage: 'upgrade' }),
    ...(keyedTopics ? { keyedIds: chain.ids } : {}),
    ...stateOf(deps),
  });
}

export interface ChainStages {
  source: SourceStage;
  project: Stage;
  sink: Stage;
  upgrade: Stage;
}

export interface IngestChainParts {
  /** As the stages use it: it opens no writer for a process that does not hold the chain. */
  log: EventLog;
  lease: ChainLease & Partial<SupervisedStage>;
  logger: Logger;
  clock: () => number;
  /** Reads what the chain's tokens link to; null where nothing is fetched. */
  metadata?: SupervisedStage | null;
  /** Tries the chain's tokens on its nodes; null where none are tried. */
  safety?: SupervisedStage | null;
}

/** One chain from its nodes to the tables. */
export class IngestChain {
  /**
   * source, project, sink and upgrade, in the order of the flow, the publisher of their status, the reader of metadata and the
   * prober of tokens, each supervised alone; last the lease that they all run under, so that it is given back when they have ended.
   */
  readonly stages: readonly SupervisedStage[];
  private readonly lease: ChainLease;

  constructor(
    private readonly chain: ChainSpec,
    private readonly flow: ChainStages,
    { log, lease, logger, clock, metadata = null, safety = null }: IngestChainParts,
  ) {
    this.lease = lease;
    const { slug } = chain;
    const { source, project, sink, upgrade } = flow;
    const leased = (stage: StandbyStage) => new LeasedStage(stage, lease, logger.child({ stage: stage.name }));
    const reading = {
      name: `source.${slug}`,
      run: (signal: AbortSignal) => source.run(signal),
      ...(source.standBy === undefined ? {} : { standBy: (signal: AbortSignal) => source.standBy!(signal) }),
    };
    const behind = [project, sink, upgrade].map((stage) => deadLettering(stage, log, slug));
    const stages = [reading, ...behind].map((stage) => new WatchedStage(leased(stage)));
    const startedAt = clock();
    const publisher = new StatusPublisher({
      ...{ log, chain: slug, now: clock },
      logger: logger.child({ stage: 'status' }),
      status: (at) => {
        const failures = stages.flatMap((stage) => stage.failure() ?? []);
        const view = {
          source: source.status(),
          upgrade: upgrade.status(),
          checkpointBlock: sink.status().height,
          failures,
        };
        return ingestStatus(chain, view, startedAt, at);
      },
    });
    const others = [publisher, metadata, safety].filter((stage) => stage !== null).map(leased);
    this.stages = [...stages, ...others, ...(isSupervised(lease) ? [lease] : [])];
  }

  status(): IngestChainStatus {
    const { source, project, sink, upgrade } = this.flow;
    return {
      ...{ chain: this.chain.slug, source: source.status(), project: project.status() },
      ...{ sink: sink.status(), upgrade: upgrade.status(), lease: this.lease.status() },
    };
  }
}

const isSupervised = (lease: ChainLease & Partial<SupervisedStage>): lease is ChainLease & SupervisedStage =>
  lease.run !== undefined;

/** A chain's stages over parts that are given, for programs that run them without an application. */
export function createIngestChain(deps: IngestChainDeps): IngestChain {
  const flow = {
    ...{ source: createSource(deps), project: createProject(deps) },
    ...{ sink: createSink(deps), upgrade: createUpgrade(deps) },
  };
  const lease = new SoleLease(Date.now);
  return new IngestChain(deps.chain, flow, { log: deps.log, lease, logger: deps.logger, clock: Date.now });
}
