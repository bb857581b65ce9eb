import type { Accounts } from '#libs/accounts/account.js';
import { servedChains } from '#libs/catalogue/catalogue.js';
import type { EventLog } from '#libs/event-log/log.js';
import { listenError } from '#libs/platform/listen-error.js';
import type { Runtime } from '#libs/platform/runtime.js';
import { createRouter, type RunningRouter } from './create-router.js';
import { EvmChains } from './evm/evm-chains.js';
import { poolToken } from './evm/native-coin.js';
import { evmReceipts } from './evm/receipts/evm-receipts.js';
import { receiptRoutes } from './evm/receipts/receipt-routes.js';
import { openHeldQuotes } from './held/open-held-quotes.js';
import { createReceiptKeeper } from './receipts/receipt-keeper.js';

export interface StartedRouter {
  readonly router: RunningRouter;
  readonly evm: EvmChains;
  /** For operators. */
  status(): object;
}

/**
 * The router of a process, with every chain listed and none open yet: a chain opens when its node is known. Registered
 * with the process's orderly end, listener first to close.
 */
export async function startRouter(runtime: Runtime, log: EventLog, accounts: Accounts | null): Promise<StartedRouter> {
  const { config, logger, shutdown, version } = runtime;
  const specs = servedChains().filter(({ family }) => family === 'evm');
  const receipts = createReceiptKeeper({ log, chains: specs, poolToken, logger });
  const evm = new EvmChains({
    ...{ specs, log, logger, disabledVenues: config.disabledVenues },
    onFacts: (chain, facts) => receipts.onFacts(chain, facts),
  });
  shutdown.add('router chains', () => evm.close());
  const held = openHeldQuotes(config.redisUrl, logger);
  shutdown.add('held quotes', () => held.close());
  runtime.startStage(receipts);
  const { host, port } = config.listeners.base;
  const router = await createRouter({
    ...{ accounts, logger, version, chains: evm.chains, held: held.quotes, receipts: evmReceipts(receipts) },
    routes: receiptRoutes(receipts),
    config: { bind: host, port, trustProxy: config.trustProxy },
  }).catch((error: unknown) => {
    throw listenError(error, config.listeners.base);
  });
  shutdown.add('router listener', () => router.close());
  return { router, evm, status: () => ({ chains: evm.status(), receipts: receipts.status() }) };
}
