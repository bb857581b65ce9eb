import { Global, Module, type Provider } from '@nestjs/common';
import { logAddress, openLog } from '#libs/app/backends/open-log.js';
import { openStore } from '#libs/app/backends/open-store.js';
import type { Config } from '#libs/platform/config.js';
import { Runtime } from '#libs/platform/runtime.js';
import { Resources } from './resources.js';
import { CONFIG, EVENT_LOG, LOG_ADDRESS, STORE } from './tokens.js';

const eventLog: Provider = {
  provide: EVENT_LOG,
  inject: [CONFIG, Runtime, Resources],
  useFactory: async (config: Config, { folder }: Runtime, resources: Resources) =>
    resources.opened('event log', await openLog(config, folder), (log) => log.close()),
};

const address: Provider = {
  provide: LOG_ADDRESS,
  inject: [CONFIG, Runtime],
  useFactory: (config: Config, { folder }: Runtime) => logAddress(config, folder),
};

/** The event log that the configuration names. */
@Global()
@Module({ providers: [eventLog, address], exports: [eventLog, address] })
export class EventLogModule {}

const store: Provider = {
  provide: STORE,
  inject: [CONFIG, Runtime, Resources],
  useFactory: async (config: Config, { folder }: Runtime, resources: Resources) =>
    resources.opened('analytics store', await openStore(config, folder), (opened) => opened.close()),
};

/** The analytics store that the configuration names. */
@Global()
@Module({ providers: [store], exports: [store] })
export class StoreModule {}
