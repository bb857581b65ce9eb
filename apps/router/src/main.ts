import { openAccounts } from '#libs/accounts/open-accounts.js';
import { configurableChains } from '#libs/chains/registry.js';
import { listenError } from '#libs/platform/listen-error.js';
import { type Runtime, runApp } from '#libs/platform/runtime.js';
import { createRouter } from './create-router.js';

/** The router as a process of its own. */
await runApp({ app: 'router', chains: configurableChains, exclusive: false }, compose);

async function compose(runtime: Runtime): Promise<void> {
  const { config, logger, shutdown, version } = runtime;
  const listener = config.listeners.base;
  const router = await createRouter({
    config: { bind: listener.host, port: listener.port, trustProxy: config.trustProxy },
    accounts: await openAccounts({ dataDir: config.dataDir }),
    logger,
    version,
  }).catch((error: unknown) => {
    throw listenError(error, listener);
  });
  shutdown.add('router listener', () => router.close());
  await runtime.serveAdmin({ status: () => runtime.status(), operations: {} });
  logger.info({ url: router.url }, 'router is listening');
}
