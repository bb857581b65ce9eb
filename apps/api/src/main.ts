import { openAccounts } from '#libs/accounts/open-accounts.js';
import { openCursorKey } from '#libs/accounts/secret-file.js';
import { openLog } from '#libs/backends/open-log.js';
import { openStore } from '#libs/backends/open-store.js';
import { chainSpec, configurableChains } from '#libs/catalogue/catalogue.js';
import { listenError } from '#libs/platform/listen-error.js';
import { type Runtime, runApp } from '#libs/platform/runtime.js';
import { type ChainReader, createChainReader } from '#libs/reader/chain-reader.js';
import { storeSource } from '#libs/reader/store-source.js';
import { createApi } from './create-api.js';
import { liveConfig } from './live/transport/live-config.js';
import { addLiveMetrics } from './live/transport/live-metrics.js';

/** The market-data API as a process of its own, over Kafka and ClickHouse. */
await runApp({ app: 'api', chains: configurableChains, exclusive: false }, compose);

async function compose(runtime: Runtime): Promise<void> {
  const { config, folder, logger, metrics, shutdown, version } = runtime;
  const log = await openLog(config, folder);
  shutdown.add('event log', () => log.close());
  const store = await openStore(config, folder);
  shutdown.add('analytics store', () => store.close());
  const readers = new Map<string, ChainReader>();
  for (const { slug } of config.chains) {
    const source = storeSource(store, slug);
    const reader = createChainReader({ chain: chainSpec(slug)!, log, source, logger });
    readers.set(slug, reader);
    runtime.startStage(reader);
  }
  const accounts = await openAccounts({ dataDir: config.dataDir });
  runtime.redactor.add(accounts.demo.key);
  const listener = config.listeners.api;
  const api = await createApi({
    config: { bind: listener.host, port: listener.port, trustProxy: config.trustProxy, live: liveConfig(config) },
    readers,
    log,
    accounts,
    cursorKey: await openCursorKey(config.dataDir),
    routerUrl: () => config.publicRouterUrl,
    logger,
    version,
  }).catch((error: unknown) => {
    throw listenError(error, listener);
  });
  shutdown.add('api listeners', () => api.close());
  const socketPlace = config.listeners.ws;
  const ws = await api.serveSockets({ bind: socketPlace.host, port: socketPlace.port }).catch((error: unknown) => {
    throw listenError(error, socketPlace);
  });
  addLiveMetrics(metrics, () => api.liveStatus());
  await runtime.serveAdmin({
    status: () => ({
      ...runtime.status(),
      readers: [...readers.values()].map((reader) => reader.status()),
      live: api.liveStatus(),
    }),
    operations: {},
  });
  logger.info({ url: api.url, ws, chains: [...readers.keys()] }, 'market-data API is listening');
}
