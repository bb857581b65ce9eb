import { openAccounts } from '#libs/accounts/open-accounts.js';
import { openLog } from '#libs/backends/open-log.js';
import { configurableChains } from '#libs/catalogue/catalogue.js';
import { type Runtime, runApp } from '#libs/platform/runtime.js';
import { startRouter } from './start-router.js';

/** The router as a process of its own, over the log that ingest writes. */
await runApp({ app: 'router', chains: configurableChains, exclusive: false }, compose);

async function compose(runtime: Runtime): Promise<void> {
  const { config, folder, logger, shutdown } = runtime;
  const log = await openLog(config, folder);
  shutdown.add('event log', () => log.close());
  const accounts = await openAccounts({ dataDir: config.dataDir });
  runtime.redactor.add(accounts.demo.key);
  const { router, evm, status } = await startRouter(runtime, log, accounts);
  for (const { slug, rpcUrls, codePins } of config.chains) {
    if (rpcUrls.length === 0 || !evm.has(slug)) continue;
    for (const stage of evm.open(slug, { rpcUrls, codePins, demoRpcUrl: null })) runtime.startStage(stage);
  }
  await runtime.serveAdmin({ status: () => ({ ...runtime.status(), router: status() }), operations: {} });
  logger.info({ url: router.url }, 'router is listening');
}
