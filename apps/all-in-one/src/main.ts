// Room: every app in one process, with local chains where no node is configured. May import every app and library.

import { Global, Inject, Injectable, Module, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { READERS, type Readers } from '#apps/api/src/access/api-parts.js';
import { AdminApiListener } from '#apps/api/src/admin/admin.module.js';
import { ApiListener } from '#apps/api/src/api-listener.js';
import { GatewayListener } from '#apps/api/src/gateway/gateway-listener.js';
import { MarketDataModule } from '#apps/api/src/market-data.module.js';
import { IngestModule } from '#apps/ingest/src/ingest.module.js';
import { IngestChains } from '#apps/ingest/src/ingest-chains.js';
import { RelayListener } from '#apps/router/src/relay/relay.module.js';
import { RouterModule } from '#apps/router/src/router.module.js';
import { RouterListener } from '#apps/router/src/router-listener.js';
import { UtilitiesListener } from '#apps/router/src/utilities/utilities.module.js';
import { bootstrap } from '#libs/app/bootstrap.js';
import { AdminModule, AdminServer } from '#libs/app/modules/admin.module.js';
import { Resources } from '#libs/app/modules/resources.js';
import { StatusSections } from '#libs/app/modules/status-sections.js';
import { ACCOUNTS, CHAIN_ENDPOINTS, ROUTER_URL } from '#libs/app/modules/tokens.js';
import { configurableChains } from '#libs/chain/catalogue/catalogue.js';
import { type Config, reachableUrl } from '#libs/platform/config.js';
import { Runtime } from '#libs/platform/runtime.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { hasLocalChain, LocalEndpoints } from './local-nodes.js';
import { welcome } from './welcome.js';

const endpoints: Provider = {
  provide: CHAIN_ENDPOINTS,
  inject: [Runtime, Resources],
  useFactory: (runtime: Runtime, resources: Resources) => {
    const local = new LocalEndpoints(runtime);
    resources.opened('local chains', local.localChains, (chains) => chains.stop());
    return local;
  },
};

/** Clients of the api reach the router of this process, where no other address was configured. */
const routerUrl: Provider = {
  provide: ROUTER_URL,
  inject: [Runtime, ModuleRef],
  useFactory:
    ({ config }: Runtime, modules: ModuleRef) =>
    () => {
      const { url } = modules.get(RouterListener, { strict: false });
      return config.publicRouterUrl ?? (url === null ? null : reachableUrl(url));
    },
};

/** What the apps have in common when they are one process: chains without a node are local ones. */
@Global()
@Module({ providers: [endpoints, routerUrl], exports: [endpoints, routerUrl] })
class OneProcessModule {}

/** Where everything answers, for the status. */
@Injectable()
class Addresses implements OnApplicationBootstrap {
  constructor(
    @Inject(ModuleRef) private readonly modules: ModuleRef,
    @Inject(StatusSections) private readonly sections: StatusSections,
    @Inject(CHAIN_ENDPOINTS) private readonly chains: LocalEndpoints,
  ) {}

  onApplicationBootstrap(): void {
    this.sections.add('urls', () => this.read());
    this.sections.add('localNodes', () => this.chains.localChains.nodes());
  }

  read() {
    const { url, socketsUrl } = this.modules.get(ApiListener, { strict: false });
    const { url: base } = this.modules.get(RouterListener, { strict: false });
    const { url: relay } = this.modules.get(RelayListener, { strict: false });
    const { url: sol } = this.modules.get(UtilitiesListener, { strict: false });
    const { url: rpc } = this.modules.get(GatewayListener, { strict: false });
    const { url: accounts } = this.modules.get(AdminApiListener, { strict: false });
    const optional = accounts === null ? {} : { accounts };
    return { api: url, ws: socketsUrl, base: base!, rpc, relay: relay!, sol: sol!, ...optional };
  }
}

@Module({ providers: [Addresses] })
class AddressesModule {}

const modules = (config: Config) => [
  OneProcessModule,
  RouterModule,
  MarketDataModule.of(),
  IngestModule.of(config),
  AdminModule,
  AddressesModule,
];

const chains = configurableChains.map((chain) => ({ ...chain, local: hasLocalChain(chain) }));

/**
 * Every app in one process over the embedded log and store (or the ones the configuration names). The apps meet in
 * topics and tables here too: they share the log, the store and the accounts of the process, and nothing else.
 */
await bootstrap({ app: 'all-in-one', chains }, ({ config }) => ({
  imports: modules(config),
  started: async (application, runtime) => {
    const get = <T>(token: unknown): T => application.get(token as never, { strict: false });
    const addresses = get<Addresses>(Addresses).read();
    const { api, base, rpc } = addresses;
    const admin = get<AdminServer>(AdminServer).url;
    runtime.logger.info({ ...addresses, admin }, 'listening');
    const readers = get<Readers>(READERS);
    const demo = get<Accounts | null>(ACCOUNTS)?.demo ?? null;
    const ingest = get<IngestChains>(IngestChains);
    const sealed = (slug: string) => ingest.status().find(({ chain }) => chain === slug)?.source.sealed ?? null;
    await get<LocalEndpoints>(CHAIN_ENDPOINTS).begin(sealed, async ({ local }, index) => {
      if (index > 0) return;
      const greeting = welcome({ runtime, api, base, rpc, admin, readers, demo });
      // Other local chains take their share of the machine once the first one is served.
      if (local) await greeting;
    });
  },
}));
