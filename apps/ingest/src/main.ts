import { logAddress, openLog } from '#libs/backends/open-log.js';
import { openStore } from '#libs/backends/open-store.js';
import { chainSpec, configurableChains } from '#libs/catalogue/catalogue.js';
import { createOperations } from '#libs/operations/operations.js';
import { type Runtime, runApp } from '#libs/platform/runtime.js';
import { ReceiptTable } from '#libs/store/receipts/receipt-table.js';
import { createIngestChain } from './create-ingest.js';
import { addIngestMetrics } from './ingest-metrics.js';
import { ReceiptsStage } from './receipts/receipts-stage.js';

/** The pipeline from nodes to tables as a process of its own, over Kafka and ClickHouse. */
await runApp({ app: 'ingest', chains: configurableChains }, compose);

async function compose(runtime: Runtime): Promise<void> {
  const { config, folder, logger, metrics, shutdown } = runtime;
  const log = await openLog(config, folder);
  shutdown.add('event log', () => log.close());
  const store = await openStore(config, folder);
  shutdown.add('analytics store', () => store.close());
  const keyedTopics = log.kind === 'kafka';
  const chains = config.chains.map(({ slug, rpcUrls, startHeight }) =>
    createIngestChain({
      ...{ log, store, chain: chainSpec(slug)!, rpcUrls, startHeight, dataDir: folder.dir, keyedTopics, logger },
      sourceThread: logAddress(config, folder),
    }),
  );
  addIngestMetrics(metrics, chains);
  await runtime.guardDisk();
  for (const chain of chains) for (const stage of chain.stages) runtime.startStage(stage);
  runtime.startStage(new ReceiptsStage({ log, table: new ReceiptTable(store) }));
  const status = () => ({ ...runtime.status(), chains: chains.map((chain) => chain.status()) });
  const slugs = config.chains.map(({ slug }) => slug);
  const restartStage = (name: string) => runtime.supervisor.restart(name);
  const operations = createOperations({ log, store: async () => store, chains: slugs, status, restartStage });
  const admin = await runtime.serveAdmin({ status, operations });
  logger.info({ admin: admin.url, chains: slugs }, 'ingest is running');
}
