import { openAccounts } from '#libs/accounts/open-accounts.js';
import { openCursorKey } from '#libs/accounts/secret-file.js';
import { logAddress, openLog } from '#libs/backends/open-log.js';
import { openStore } from '#libs/backends/open-store.js';
import { chainSpec, configurableChains } from '#libs/catalogue/catalogue.js';
import { createOperations } from '#libs/operations/operations.js';
import { reachableUrl } from '#libs/platform/config.js';
import { listenError } from '#libs/platform/listen-error.js';
import { type Runtime, runApp } from '#libs/platform/runtime.js';
import { type ChainReader, createChainReader } from '#libs/reader/chain-reader.js';
import { storeSource } from '#libs/reader/store-source.js';
import { ReceiptTable } from '#libs/store/receipts/receipt-table.js';
import { createApi } from './api/src/create-api.js';
import { liveConfig } from './api/src/live/transport/live-config.js';
import { addLiveMetrics } from './api/src/live/transport/live-metrics.js';
import { createIngestChain, type IngestChain } from './ingest/src/create-ingest.js';
import { addIngestMetrics } from './ingest/src/ingest-metrics.js';
import { ReceiptsStage } from './ingest/src/receipts/receipts-stage.js';
import { LocalChains, nodesOf } from './local-nodes.js';
import { startRouter } from './router/src/start-router.js';
import { welcome } from './welcome.js';

/**
 * Every app in one process over the embedded log and store (or the ones the configuration names). The apps meet in
 * topics and tables here too: this file only opens what they share and starts them.
 */
await runApp({ app: 'all-in-one', chains: configurableChains }, compose);

async function compose(runtime: Runtime): Promise<void> {
  const { config, folder, logger, metrics, shutdown, version } = runtime;
  const log = await openLog(config, folder);
  shutdown.add('event log', () => log.close());
  const store = await openStore(config, folder);
  shutdown.add('analytics store', () => store.close());
  await runtime.guardDisk();

  // Registered before the stages, so that it closes after them.
  const localChains = new LocalChains();
  shutdown.add('local chains', () => localChains.stop());
  const accounts = await openAccounts({ dataDir: folder.dir });
  runtime.redactor.add(accounts.demo.key);
  const { router, evm, status: routerStatus } = await startRouter(runtime, log, accounts);
  const routerUrl = () => config.publicRouterUrl ?? reachableUrl(router.url);
  const readers = new Map<string, ChainReader>();
  for (const { slug } of config.chains) {
    const reader = createChainReader({ chain: chainSpec(slug)!, log, source: storeSource(store, slug), logger });
    readers.set(slug, reader);
    runtime.startStage({ name: `reader.${slug}`, run: (signal) => reader.run(signal) });
  }
  const { trustProxy, listeners } = config;
  const api = await createApi({
    ...{ readers, log, accounts, logger, version, routerUrl, cursorKey: await openCursorKey(folder.dir) },
    config: { bind: listeners.api.host, port: listeners.api.port, trustProxy, live: liveConfig(config) },
  }).catch((error: unknown) => {
    throw listenError(error, listeners.api);
  });
  shutdown.add('api listeners', () => api.close());
  const ws = await api.serveSockets({ bind: listeners.ws.host, port: listeners.ws.port }).catch((error: unknown) => {
    throw listenError(error, listeners.ws);
  });
  addLiveMetrics(metrics, () => api.liveStatus());

  runtime.startStage(new ReceiptsStage({ log, table: new ReceiptTable(store) }));
  const chains: IngestChain[] = [];
  addIngestMetrics(metrics, chains);
  const status = () => ({
    ...runtime.status(),
    urls: { api: api.url, ws, base: router.url },
    live: api.liveStatus(),
    chains: chains.map((chain) => chain.status()),
    readers: [...readers.values()].map((reader) => reader.status()),
    router: routerStatus(),
    localNodes: localChains.nodes(),
  });
  const slugs = config.chains.map(({ slug }) => slug);
  const restartStage = (name: string) => runtime.supervisor.restart(name);
  const operations = createOperations({ log, store: async () => store, chains: slugs, status, restartStage });
  const admin = await runtime.serveAdmin({ status, operations });
  logger.info({ api: api.url, ws, base: router.url, admin: admin.url }, 'listening');

  for (const { slug, local } of config.chains) {
    if (local && evm.has(slug)) evm.explain(slug, 'its local chain is not made yet');
  }
  for (const [index, chainConfig] of config.chains.entries()) {
    const chain = chainSpec(chainConfig.slug)!;
    const { startHeight, ...node } = await nodesOf(runtime, chainConfig, { first: index === 0, localChains });
    const ingest = createIngestChain({
      ...{ log, store, chain, rpcUrls: node.rpcUrls, startHeight, dataDir: folder.dir, logger },
      keyedTopics: log.kind === 'kafka',
      sourceThread: logAddress(config, folder),
      onCheckpoint: () => readers.get(chain.slug)!.checkNow(),
    });
    chains.push(ingest);
    const desk = evm.has(chain.slug) ? evm.open(chain.slug, node) : [];
    for (const stage of [...ingest.stages, ...desk]) runtime.startStage(stage);
    if (index > 0) continue;
    const places = { api: api.url, base: router.url, admin: admin.url };
    const greeting = welcome({ runtime, ...places, readers, demo: accounts.demo });
    // Other local chains take their share of the machine once the first one is served.
    if (chainConfig.local) await greeting;
  }
}
