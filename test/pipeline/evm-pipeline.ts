import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApi, type RunningApi } from '#apps/api/src/create-api.js';
import { createIngestChain } from '#apps/ingest/src/create-ingest.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { commitThread } from '#libs/devkit/testing/commit-thread.js';
import { accountsWithoutLimits } from '#libs/devkit/testing/local-accounts.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { openChdbStore } from '#libs/pipeline/store/chdb-store.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { silentLogger } from '#libs/platform/logger.js';
import type { BoardAnswer } from '#libs/serve/contract/rest/launchpad-body.js';
import { type ChainReader, createChainReader } from '#libs/serve/reader/chain-reader.js';
import { storeSource } from '#libs/serve/reader/store-source.js';
import { MarketClient } from '../multi-process/market-client.js';

/** The node of a local EVM chain. */
export interface EvmNode {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly rpc: { call<T>(method: string, params: unknown[]): Promise<T> };
}

/** Everything from the node of an EVM chain to the REST API, all of it real: source, log, fold, tables, reader. */
export class EvmPipeline {
  private readonly stop = new AbortController();
  private readonly running: Promise<void>[] = [];
  private readonly failures: unknown[] = [];

  private constructor(
    private readonly dir: string,
    private readonly spec: ChainSpec,
    private readonly node: EvmNode,
    readonly log: EventLog,
    private readonly store: AnalyticsStore,
    private readonly reader: ChainReader,
    private readonly api: RunningApi,
    readonly client: MarketClient,
    /** What the API logged as an error. */
    readonly errors: readonly object[],
  ) {}

  static async open(spec: ChainSpec, node: EvmNode): Promise<EvmPipeline> {
    const dir = await mkdtemp(join(tmpdir(), 'tidepool-evm-pipeline-'));
    const log = await openEmbeddedLog({ dir: join(dir, 'log') });
    const store = await openChdbStore({ dir: join(dir, 'store') });
    const reader = createChainReader({ chain: spec, log, source: storeSource(store, spec.slug), pollMs: 50 });
    const errors: object[] = [];
    const accounts = await accountsWithoutLimits(dir);
    const api = await createApi({
      config: { bind: '127.0.0.1', port: 0 },
      readers: new Map([[spec.slug, reader]]),
      ...{ accounts, log, cursorKey: randomBytes(32), version: '0' },
      logger: { ...silentLogger, error: (fields: object) => void errors.push(fields) },
    });
    const client = new MarketClient(api.url, accounts.demo.key);
    const made = new EvmPipeline(dir, spec, node, log, store, reader, api, client, errors);
    made.start();
    return made;
  }

  private start(): void {
    const { log, store, spec: chain, node, dir, reader } = this;
    const ingest = createIngestChain({
      ...{ log, store, chain, rpcUrls: [node.rpcUrl, node.wsUrl], startHeight: 0, dataDir: dir },
      ...{ keyedTopics: false, logger: silentLogger, commitThread, onCheckpoint: () => reader.checkNow() },
    });
    for (const stage of [...ingest.stages, reader]) {
      this.running.push(stage.run(this.stop.signal).catch((error: unknown) => void this.failures.push(error)));
    }
  }

  /** Until the API serves the chain's head, also where it reads the market of a moment ago. */
  async caughtUp(): Promise<void> {
    const { slug } = this.spec;
    const { hash } = await this.node.rpc.call<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
    await until(`${slug} served at its head`, async () => {
      if (this.failures.length > 0) throw this.failures[0];
      if (!this.reader.status().ready || (await this.client.chain(slug)).head?.blockHash !== hash) return false;
      const { meta } = await this.client.get<BoardAnswer>('/launchpad/new');
      return meta.chains[slug]?.blockHash === hash;
    });
  }

  async close(): Promise<void> {
    this.stop.abort();
    await Promise.all(this.running);
    await this.api.close();
    await this.store.close();
    await this.log.close();
    await removeFolder(this.dir);
  }
}
