import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type Provider,
} from '@nestjs/common';
import type { LogAddress } from '#libs/app/backends/open-log.js';
import type { ChainEndpoints } from '#libs/app/modules/chain-endpoints.js';
import { Checkpoints } from '#libs/app/modules/checkpoints.js';
import type { Clock } from '#libs/app/modules/clock.js';
import { Stages } from '#libs/app/modules/stages.js';
import {
  CHAIN_ENDPOINTS,
  CLOCK,
  CONFIG,
  EVENT_LOG,
  LOG_ADDRESS,
  LOGGER,
  ROUTER_URL,
  STORE,
  VERSION,
} from '#libs/app/modules/tokens.js';
import { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { LaunchFiles } from '#libs/pipeline/epochs/launch-files.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { PictureTable } from '#libs/pipeline/store/pictures/picture-table.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { Config } from '#libs/platform/config.js';
import type { Logger } from '#libs/platform/logger.js';
import { Runtime } from '#libs/platform/runtime.js';
import type { Stage } from '#libs/platform/stage.js';
import { LAUNCH_FILES } from '#libs/protocol/launch-files.js';
import { createProject, createSink, createSource, createUpgrade, IngestChain } from './create-ingest.js';
import { IngestChains } from './ingest-chains.js';
import { type ChainLease, SoleLease } from './lease/chain-lease.js';
import { KeptLease } from './lease/kept-lease.js';
import { ownInstance } from './lease/own-instance.js';
import { ContractUris } from './metadata/contract-uri.js';
import { MetadataStage } from './metadata/metadata-stage.js';
import { openProbeNodes } from './safety/probe-nodes.js';
import { SafetyStage } from './safety/safety-stage.js';
import { PendingSource } from './source/pending-source.js';
import type { SourceStage } from './source/source-status.js';

/** The providers of one chain; every chain has its own module with all of them. */
const CHAIN = Symbol('chain');
export const SOURCE = Symbol('source of the chain');
export const PROJECT = Symbol('fold of the chain');
export const SINK = Symbol('sink of the chain');
const METADATA = Symbol('reader of what the chain’s tokens link to');
const SAFETY = Symbol('prober of the chain’s tokens');
const UPGRADE = Symbol('builder of another version of the chain');
/** The right to write the chain. */
const LEASE = Symbol('lease of the chain');
/** The log as the chain's stages use it: only a process that holds the chain opens a writer. */
const CHAIN_LOG = Symbol('log of the chain');

/** Several processes share Kafka; an embedded log is in a data folder, which one process at a time has open. */
const lease: Provider = {
  provide: LEASE,
  inject: [CHAIN, EVENT_LOG, LOGGER, CLOCK, VERSION, Runtime],
  useFactory: (
    chain: ChainSpec,
    log: EventLog,
    logger: Logger,
    now: Clock,
    version: string,
    { config, folder }: Runtime,
  ): ChainLease => {
    if (log.kind === 'embedded') return new SoleLease(now);
    const own = ownInstance(folder.dir, version);
    const parts = { log, own, now, chain: chain.slug, leaseMs: config.leaseMs };
    return new KeptLease({ ...parts, logger: logger.child({ stage: 'lease' }) });
  },
};

const chainLog: Provider = {
  provide: CHAIN_LOG,
  inject: [LEASE, EVENT_LOG],
  useFactory: (held: ChainLease, log: EventLog) => held.guard(log),
};

const source: Provider = {
  provide: SOURCE,
  inject: [CHAIN, CHAIN_LOG, LOG_ADDRESS, CHAIN_ENDPOINTS, LOGGER, Runtime, LEASE],
  useFactory: (
    chain: ChainSpec,
    log: EventLog,
    address: LogAddress | null,
    endpoints: ChainEndpoints,
    logger: Logger,
    { config, folder }: Runtime,
    held: ChainLease,
  ) =>
    new PendingSource(chain.slug, async () => {
      const { rpcUrls, startHeight, takeIncomplete } = await endpoints.of(chain.slug);
      const thread = address === null ? {} : { sourceThread: address };
      const reading = config.chains.find(({ slug }) => slug === chain.slug)?.reading;
      const term = () => held.tenure?.term ?? null;
      return createSource({
        ...{ log, chain, rpcUrls, startHeight, reading, takeIncomplete, dataDir: folder.dir, logger, term },
        ...thread,
      });
    }),
};

const project: Provider = {
  provide: PROJECT,
  inject: [CHAIN, CHAIN_LOG, Runtime],
  useFactory: (chain: ChainSpec, log: EventLog, { config, folder }: Runtime) =>
    createProject({
      ...{ log, chain, dataDir: folder.dir, foldObjects: config.foldObjects },
      keyedTopics: log.kind === 'kafka',
    }),
};

const sink: Provider = {
  provide: SINK,
  inject: [CHAIN, CHAIN_LOG, STORE, Checkpoints, CONFIG],
  useFactory: (chain: ChainSpec, log: EventLog, store: AnalyticsStore, checkpoints: Checkpoints, config: Config) => {
    const created = createSink({
      ...{ log, store, chain, insertEveryMs: config.insertEveryMs },
      onCheckpoint: () => checkpoints.written(chain.slug),
      onFlip: () => checkpoints.flipped(chain.slug),
    });
    checkpoints.onFlipped(chain.slug, () => created.lookNow());
    return created;
  },
};

const upgrade: Provider = {
  provide: UPGRADE,
  inject: [CHAIN, CHAIN_LOG, STORE, LOGGER, Runtime],
  useFactory: (chain: ChainSpec, log: EventLog, store: AnalyticsStore, logger: Logger, { config, folder }: Runtime) =>
    createUpgrade({
      ...{ log, store, chain, logger, dataDir: folder.dir, foldObjects: config.foldObjects },
      ...{ keyedTopics: log.kind === 'kafka', keepReplacedMs: config.keepReplacedMs },
    }),
};

/** Null where the operator wants nothing fetched. */
const metadata: Provider = {
  provide: METADATA,
  inject: [CHAIN, CHAIN_LOG, STORE, CONFIG, CHAIN_ENDPOINTS, NodePools, { token: ROUTER_URL, optional: true }],
  useFactory: (
    chain: ChainSpec,
    log: EventLog,
    store: AnalyticsStore,
    { metadata: gateways, chains, publicRouterUrl }: Config,
    endpoints: ChainEndpoints,
    nodePools: NodePools,
    routerUrl: (() => string | null) | undefined,
  ) => {
    if (gateways === null) return null;
    const launchFiles = new LaunchFiles(log, `launch-files.${chain.slug}`);
    return new MetadataStage({
      ...{ log, chain, pictures: new PictureTable(store), marks: launchFiles },
      reading: {
        launchFiles: (name) => launchFiles.find(name),
        gateways: { ipfs: gateways.ipfsGateway, arweave: gateways.arweaveGateway },
        // What is launched on a local chain names files of this instance, on loopback.
        ownFiles: () => {
          const own = publicRouterUrl ?? routerUrl?.() ?? null;
          const local = chains.some(({ slug, local }) => slug === chain.slug && local);
          return own === null || !local ? null : `${own.replace(/\/$/, '')}${LAUNCH_FILES}/`;
        },
      },
      uris: async () =>
        chain.family === 'evm' ? new ContractUris(chain, (await endpoints.of(chain.slug)).rpcUrls, nodePools) : null,
    });
  },
};

/** Null on Solana, and where the operator wants no node asked. */
const safety: Provider = {
  provide: SAFETY,
  inject: [CHAIN, CHAIN_LOG, CONFIG, CHAIN_ENDPOINTS, NodePools],
  useFactory: (
    chain: ChainSpec,
    log: EventLog,
    { probesTokens }: Config,
    endpoints: ChainEndpoints,
    nodePools: NodePools,
  ) => {
    if (chain.family !== 'evm' || !probesTokens) return null;
    const nodes = async () => openProbeNodes(chain, (await endpoints.of(chain.slug)).rpcUrls, nodePools);
    return new SafetyStage({ log, chain, nodes });
  },
};

const ingestChain: Provider = {
  provide: IngestChain,
  inject: [CHAIN, SOURCE, PROJECT, SINK, UPGRADE, METADATA, SAFETY, CHAIN_LOG, LEASE, LOGGER, CLOCK],
  useFactory: (
    chain: ChainSpec,
    reading: SourceStage,
    folding: Stage,
    writing: Stage,
    upgrading: Stage,
    linked: MetadataStage | null,
    probing: SafetyStage | null,
    log: EventLog,
    held: ChainLease,
    logger: Logger,
    clock: Clock,
  ) => {
    const flow = { source: reading, project: folding, sink: writing, upgrade: upgrading };
    return new IngestChain(chain, flow, { log, lease: held, logger, clock, metadata: linked, safety: probing });
  },
};

/** Starts the chain's stages once its nodes are known; the application does not wait for them. */
@Injectable()
class ChainStart implements OnApplicationBootstrap {
  constructor(
    @Inject(CHAIN) private readonly chain: ChainSpec,
    @Inject(IngestChain) private readonly ingest: IngestChain,
    @Inject(CHAIN_ENDPOINTS) private readonly endpoints: ChainEndpoints,
    @Inject(Stages) private readonly stages: Stages,
    @Inject(IngestChains) private readonly started: IngestChains,
  ) {}

  onApplicationBootstrap(): void {
    void this.endpoints.of(this.chain.slug).then(() => {
      this.started.add(this.ingest);
      this.stages.start(...this.ingest.stages);
    });
  }
}

/** One chain from its nodes to the tables: source, fold, sink and upgrade as providers, and the publisher of their status. */
@Module({})
export class ChainIngestModule {
  static of(chain: ChainSpec): DynamicModule {
    const stages = [lease, chainLog, source, project, sink, upgrade, metadata, safety];
    const providers = [{ provide: CHAIN, useValue: chain }, ...stages, ingestChain, ChainStart];
    return { module: ChainIngestModule, providers, exports: [IngestChain] };
  }
}
