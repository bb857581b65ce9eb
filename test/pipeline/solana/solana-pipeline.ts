import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApi, type RunningApi } from '#apps/api/src/create-api.js';
import { LiveProject } from '#apps/ingest/src/project/live-project.js';
import { LiveSink } from '#apps/ingest/src/sink/live-sink.js';
import { FaultProxy } from '#apps/ingest/src/source/solana/test/fault-proxy.js';
import { sol } from '#libs/chain/catalogue/test/chain-specs.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { Hex } from '#libs/core/ids.js';
import { heapPlaces } from '#libs/devkit/testing/heap-places.js';
import { accountsWithoutLimits } from '#libs/devkit/testing/local-accounts.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { foldVersion } from '#libs/pipeline/fold/fold-version.js';
import { decodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import { storeTables } from '#libs/pipeline/sink/sink-tables.js';
import { openChdbStore } from '#libs/pipeline/store/chdb-store.js';
import type { Checkpoint } from '#libs/pipeline/store/market/checkpoint.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { silentLogger } from '#libs/platform/logger.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import type { PoolStateFact } from '#libs/protocol/facts.js';
import { factsTopic } from '#libs/protocol/topics.js';
import { type ChainReader, createChainReader } from '#libs/serve/reader/chain-reader.js';
import { storeSource } from '#libs/serve/reader/store-source.js';
import { MarketClient } from '../../multi-process/market-client.js';
import { EPOCH } from '../real-pipeline.js';
import { PUBLIC_URL, ServedMedia } from '../served-media.js';
import type { BusyMarket } from './busy-market.js';
import { confirmedHead } from './chain-truth.js';
import { RestartedSource } from './restarted-source.js';

/** Everything from a chain's node to the REST API, all of it real: source behind a fault proxy, log, fold, tables, reader. */
export class SolanaPipeline {
  private readonly stop = new AbortController();
  private readonly running: Promise<void>[] = [];
  private readonly failures: unknown[] = [];
  /** What the API logged as an error. */
  readonly errors: object[] = [];

  private constructor(
    readonly dir: string,
    readonly market: BusyMarket,
    readonly proxy: FaultProxy,
    readonly log: EventLog,
    readonly store: AnalyticsStore,
    readonly source: RestartedSource,
    readonly reader: ChainReader,
    private readonly api: RunningApi,
    readonly client: MarketClient,
  ) {}

  /** `sampleImage`: then pictures of tokens are read, of which this address alone may be opened. */
  static async open(market: BusyMarket, seed: number, sampleImage?: () => string): Promise<SolanaPipeline> {
    const dir = await mkdtemp(join(tmpdir(), 'tidepool-solana-pipeline-'));
    const proxy = await FaultProxy.start(market, seed);
    const log = await openEmbeddedLog({ dir: join(dir, 'log') });
    const store = await openChdbStore({ dir: join(dir, 'store') });
    const media = sampleImage && new ServedMedia({ log, store, dir, chain: sol, sampleImage });
    const about = media?.book.of('sol');
    const source = storeSource(store, 'sol');
    const reader = createChainReader({ chain: sol, log, source, pollMs: 50, ...(about && { about }) });
    const errors: object[] = [];
    const accounts = await accountsWithoutLimits(dir);
    const api = await createApi({
      config: { bind: '127.0.0.1', port: 0 },
      readers: new Map([['sol', reader]]),
      ...{ accounts, log, cursorKey: randomBytes(32), version: '0' },
      ...(media && { pictures: media.pictures, publicUrl: PUBLIC_URL }),
      logger: { ...silentLogger, error: (fields: object) => void errors.push(fields) },
    });
    const restarted = new RestartedSource(log, join(dir, 'source'), [proxy.url, proxy.socketUrl]);
    const client = new MarketClient(api.url, accounts.demo.key);
    const made = new SolanaPipeline(dir, market, proxy, log, store, restarted, reader, api, client);
    Object.assign(made, { errors });
    made.start(media === undefined ? [] : [media.book, media.stage]);
    return made;
  }

  private start(more: readonly SupervisedStage[]): void {
    const { log, store, reader } = this;
    this.source.start();
    const project = new LiveProject({ log, chain: 'sol', foldVersion, place: heapPlaces() });
    const onCheckpoint = (): void => reader.checkNow();
    const sink = new LiveSink({ log, tables: storeTables(store, 'sol'), chain: 'sol', minIntervalMs: 0, onCheckpoint });
    for (const stage of [project, sink, reader, ...more]) {
      this.running.push(stage.run(this.stop.signal).catch((error: unknown) => void this.failures.push(error)));
    }
  }

  /** Everything is at the confirmed block: log, tables and what is served. */
  async quiet(): Promise<void> {
    this.proxy.faults.lagSlots = 0;
    await this.source.caughtUp(this.market.rpcUrl);
    const head = await confirmedHead(this.market.rpcUrl);
    const isQuiet = async (): Promise<boolean> => {
      if (this.failures.length > 0) throw this.failures[0];
      const [served, written] = [await this.servedHead(), await this.checkpoint()];
      return served === head && written?.hash === head;
    };
    await until('the confirmed block in what is served', isQuiet, { everyMs: 20 });
  }

  /** Of the tables in service; null before the first. */
  async checkpoint(): Promise<Checkpoint | null> {
    const tables = storeTables(this.store, 'sol');
    const pointer = await tables.readPointer();
    return pointer && tables.generation(pointer.generation).readCheckpoint();
  }

  private async servedHead(): Promise<Hex | null> {
    if (!this.reader.status().ready) return null;
    const hash = (await this.client.chain('sol')).head?.blockHash;
    return hash === undefined ? null : solanaIds.parseAddress(hash);
  }

  /** Pool states as a router keeps them: absolute sets in the order of facts. */
  async poolStates(): Promise<Map<Hex, PoolStateFact>> {
    const states = new Map<Hex, PoolStateFact>();
    const options = { fromSeq: 0, signal: this.stop.signal, untilEnd: true };
    for await (const batch of this.log.readGroups(factsTopic('sol', EPOCH, foldVersion), options)) {
      for (const { value } of batch) {
        const group = decodeFactsGroup(value);
        if (group.kind !== 'block' && group.kind !== 'retract') continue;
        if (group.kind === 'retract') for (const pool of group.removedPools) states.delete(pool);
        for (const state of group.poolStates) states.set(state.pool, state);
      }
    }
    return states;
  }

  /** Ends all stages; log, tables and API stay. */
  async rest(): Promise<void> {
    await this.source.stop();
    this.stop.abort();
    await Promise.all(this.running);
    if (this.failures.length > 0) throw this.failures[0];
  }

  async close(): Promise<void> {
    await this.source.stop().catch(() => undefined);
    this.stop.abort();
    await Promise.all(this.running);
    await this.api.close();
    await this.proxy.close();
    await this.store.close();
    await this.log.close();
    await removeFolder(this.dir);
  }
}
