import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type Provider,
} from '@nestjs/common';
import { AccountsModule } from '#libs/app/modules/accounts.module.js';
import { EventLogModule, StoreModule } from '#libs/app/modules/backends.module.js';
import type { ChainEndpoints } from '#libs/app/modules/chain-endpoints.js';
import { SecretsModule } from '#libs/app/modules/secrets.module.js';
import { Stages } from '#libs/app/modules/stages.js';
import { StatusSections } from '#libs/app/modules/status-sections.js';
import {
  ACCOUNTS,
  ACCOUNTS_STAGE,
  CHAIN_ENDPOINTS,
  EVENT_LOG,
  ROUTER_URL,
  SHARED_SECRETS,
  STORE,
} from '#libs/app/modules/tokens.js';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { PictureTable } from '#libs/pipeline/store/pictures/picture-table.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { ListenerConfig } from '#libs/platform/config.js';
import { listenError } from '#libs/platform/listen-error.js';
import { Runtime } from '#libs/platform/runtime.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import type { AccountsStage } from '#libs/serve/accounts/accounts-stage.js';
import type { SharedSecrets } from '#libs/serve/accounts/shared-secrets.js';
import { upstreamUnavailable } from '#libs/serve/http/problem.js';
import { MetadataBook } from '#libs/serve/reader/metadata-book.js';
import { API_DEPS, type ApiDeps, type ListenPlace, type Pictures } from './access/api-deps.js';
import { ADMIN_DEPS, AdminApiModule, type AdminDeps } from './admin/admin.module.js';
import { ApiModule } from './api.module.js';
import { dasMethods } from './gateway/das/das-methods.js';
import { GatewayModule } from './gateway/gateway.module.js';
import { GATEWAY_DEPS, type GatewayDeps } from './gateway/gateway-deps.js';
import { GatewayListener } from './gateway/gateway-listener.js';
import { liveConfig } from './live/transport/live-config.js';
import { addLiveMetrics } from './live/transport/live-metrics.js';
import { LiveTransports } from './live/transport/live-transports.js';
import { PictureFiles } from './media/picture-files.js';
import { addReaderMetrics } from './reader-metrics.js';
import { READERS, type Readers, ReadersModule } from './readers.module.js';

const placeOf = (listener: ListenerConfig): ListenPlace => ({
  bind: listener.host,
  port: listener.port,
  explain: (error) => listenError(error, listener),
});

const notRead = (): never => {
  throw upstreamUnavailable('the secrets of this installation are not read yet: try again');
};

/** The parts of the process as the api takes them. */
const apiDeps: Provider<ApiDeps> = {
  provide: API_DEPS,
  inject: [
    Runtime,
    READERS,
    ACCOUNTS,
    EVENT_LOG,
    SHARED_SECRETS,
    MetadataBook,
    STORE,
    CHAIN_ENDPOINTS,
    { token: ROUTER_URL, optional: true },
  ],
  useFactory: (
    { config, folder, logger, version }: Runtime,
    readers: Readers,
    accounts: Accounts | null,
    log: EventLog,
    secrets: SharedSecrets,
    book: MetadataBook,
    store: AnalyticsStore,
    endpoints: ChainEndpoints,
    routerUrl: (() => string | null) | undefined,
  ): ApiDeps => ({
    ...{ readers, accounts, log, endpoints, logger, version },
    cursorKey: { signing: () => secrets.signing() ?? notRead(), accepted: () => secrets.accepted() },
    identity: () => secrets.identity() ?? notRead(),
    publicUrl: config.publicApiUrl,
    pictures: picturesOf(book, new PictureFiles(new PictureTable(store), { dir: folder.path('pictures') })),
    routerUrl: routerUrl ?? (() => config.publicRouterUrl),
    config: {
      ...placeOf(config.listeners.api),
      sockets: placeOf(config.listeners.ws),
      trustProxy: config.trustProxy,
      live: liveConfig(config),
    },
  }),
};

const picturesOf = (book: MetadataBook, files: PictureFiles): Pictures => ({
  knows: (name) => book.knowsPicture(name),
  read: (name) => files.read(name),
});

const gatewayDeps: Provider<GatewayDeps> = {
  provide: GATEWAY_DEPS,
  inject: [Runtime, ACCOUNTS, CHAIN_ENDPOINTS],
  useFactory: (
    { config, logger, version }: Runtime,
    accounts: Accounts | null,
    endpoints: ChainEndpoints,
  ): GatewayDeps => ({
    ...{ endpoints, accounts, logger, version, trustProxy: config.trustProxy },
    place: config.rpcGateway ? placeOf(config.listeners.rpc) : null,
    chains: config.chains.map(({ slug }) => chainSpec(slug)!),
  }),
};

const adminDeps: Provider<AdminDeps> = {
  provide: ADMIN_DEPS,
  inject: [Runtime, EVENT_LOG, ACCOUNTS_STAGE],
  useFactory: ({ config, logger, version }: Runtime, log: EventLog, stage: AccountsStage | null): AdminDeps => ({
    ...{ log, logger, version, key: config.accounts.adminKey, place: placeOf(config.listeners.accounts) },
    ...{ trustProxy: config.trustProxy, changed: async () => stage?.follow() },
  }),
};

/** Runs the readers, and shows them and the live interface to operators. */
@Injectable()
class MarketDataStart implements OnApplicationBootstrap {
  constructor(
    @Inject(Runtime) private readonly runtime: Runtime,
    @Inject(Stages) private readonly stages: Stages,
    @Inject(StatusSections) private readonly sections: StatusSections,
    @Inject(READERS) private readonly readers: Readers,
    @Inject(MetadataBook) private readonly book: MetadataBook,
    @Inject(LiveTransports) private readonly transports: LiveTransports,
    @Inject(GatewayListener) private readonly gateway: GatewayListener,
  ) {}

  onApplicationBootstrap(): void {
    this.sections.add('live', () => this.transports.status());
    this.sections.add('readers', () => [...this.readers.values()].map((reader) => reader.status()));
    if (this.gateway.url !== null) this.sections.add('gateway', () => this.gateway.status());
    addLiveMetrics(this.runtime.metrics, () => this.transports.status());
    addReaderMetrics(this.runtime.metrics, () => [...this.readers.values()].map((reader) => reader.status()));
    this.stages.start(this.book);
    for (const reader of this.readers.values()) this.stages.start(reader);
  }
}

/** The market-data API of a process: its readers, the api over them, and the gateway to the nodes. */
@Module({})
export class MarketDataModule {
  static of(): DynamicModule {
    const api = ApiModule.from(apiDeps);
    const gateway = GatewayModule.from(gatewayDeps, dasMethods);
    const admin = AdminApiModule.from(adminDeps);
    return {
      module: MarketDataModule,
      imports: [EventLogModule, StoreModule, AccountsModule, SecretsModule, ReadersModule, api, gateway, admin],
      providers: [MarketDataStart],
      exports: [api, gateway, admin],
    };
  }
}
