import { Global, Module, type Provider } from '@nestjs/common';
import { createOperations } from '#libs/app/operations/operations.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { Config } from '#libs/platform/config.js';
import { Runtime } from '#libs/platform/runtime.js';
import type { AccountsStage } from '#libs/serve/accounts/accounts-stage.js';
import { Checkpoints } from './checkpoints.js';
import { StatusSections } from './status-sections.js';
import { ACCOUNTS_STAGE, CONFIG, EVENT_LOG, OPERATIONS, STORE } from './tokens.js';

const operations: Provider = {
  provide: OPERATIONS,
  inject: [CONFIG, Runtime, EVENT_LOG, STORE, StatusSections, Checkpoints, { token: ACCOUNTS_STAGE, optional: true }],
  useFactory: (
    { chains }: Config,
    { supervisor, folder }: Runtime,
    log: EventLog,
    store: AnalyticsStore,
    all: StatusSections,
    checkpoints: Checkpoints,
    accounts?: AccountsStage | null,
  ) =>
    createOperations({
      log,
      store: async () => store,
      stateDir: folder.dir,
      chains: chains.map(({ slug }) => slug),
      status: () => all.read(),
      accountsChanged: async () => accounts?.follow(),
      onFlip: (chain) => checkpoints.flipped(chain),
      restartStage: (name) => supervisor.restart(name),
    }),
};

/** What the command line asks of the instance that holds the data folder. */
@Global()
@Module({ providers: [operations], exports: [operations] })
export class OperationsModule {}
