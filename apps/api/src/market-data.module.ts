import {
  type DynamicModule,
  Global,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type Provider,
} from '@nestjs/common';
import { AccountsModule } from '#libs/app/modules/accounts.module.js';
import { EventLogModule, StoreModule } from '#libs/app/modules/backends.module.js';
import { SecretsModule } from '#libs/app/modules/secrets.module.js';
import { Stages } from '#libs/app/modules/stages.js';
import { StatusSections } from '#libs/app/modules/status-sections.js';
import { CONFIG, SHARED_SECRETS, STORE } from '#libs/app/modules/tokens.js';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { CursorKeys } from '#libs/core/cursor.js';
import { SafetyBook } from '#libs/pipeline/safety/safety-book.js';
import { PictureTable } from '#libs/pipeline/store/pictures/picture-table.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { Config } from '#libs/platform/config.js';
import { Runtime } from '#libs/platform/runtime.js';
import type { SharedSecrets } from '#libs/serve/accounts/shared-secrets.js';
import { configuredPlace, type ListenerPlace } from '#libs/serve/http/listener-place.js';
import { upstreamUnavailable } from '#libs/serve/http/problem.js';
import { MetadataBook } from '#libs/serve/reader/metadata-book.js';
import {
  API_PLACES,
  type ApiPlaces,
  CURSOR_KEYS,
  IDENTITY,
  LIVE_SETTINGS,
  PICTURES,
  type Pictures,
  PUBLIC_URL,
  READERS,
  type Readers,
} from './access/api-parts.js';
import { configuredLiveSettings } from './access/live-settings.js';
import { ADMIN_PLACE, AdminApiModule, type AdminPlace } from './admin/admin.module.js';
import { ApiModule } from './api.module.js';
import { dasMethods } from './gateway/das/das-methods.js';
import { GatewayModule } from './gateway/gateway.module.js';
import { GatewayListener } from './gateway/gateway-listener.js';
import { GATEWAY_CHAINS, GATEWAY_PLACE } from './gateway/gateway-parts.js';
import { addLiveMetrics } from './live/transport/live-metrics.js';
import { LiveTransports } from './live/transport/live-transports.js';
import { PictureFiles } from './media/picture-files.js';
import { addReaderMetrics } from './reader-metrics.js';
import { ReadersModule } from './readers.module.js';

const notRead = (): never => {
  throw upstreamUnavailable('the secrets of this installation are not read yet: try again');
};

/** What the configuration, the secrets and the tables of the process are to the api, under the tokens that its parts inject. */
const parts: Provider[] = [
  {
    provide: API_PLACES,
    inject: [CONFIG],
    useFactory: ({ listeners, trustProxy }: Config): ApiPlaces => ({
      ...configuredPlace(listeners.api, trustProxy),
      sockets: configuredPlace(listeners.ws, trustProxy),
    }),
  },
  { provide: LIVE_SETTINGS, inject: [CONFIG], useFactory: configuredLiveSettings },
  { provide: PUBLIC_URL, inject: [CONFIG], useFactory: ({ publicApiUrl }: Config) => publicApiUrl },
  {
    provide: PICTURES,
    inject: [MetadataBook, STORE, Runtime],
    useFactory: (book: MetadataBook, store: AnalyticsStore, { folder }: Runtime): Pictures => {
      const files = new PictureFiles(new PictureTable(store), { dir: folder.path('pictures') });
      return { knows: (name) => book.knowsPicture(name), read: (name) => files.read(name) };
    },
  },
  {
    provide: CURSOR_KEYS,
    inject: [SHARED_SECRETS],
    useFactory: (secrets: SharedSecrets): CursorKeys => ({
      ...{ signing: () => secrets.signing() ?? notRead(), accepted: () => secrets.accepted() },
    }),
  },
  {
    provide: IDENTITY,
    inject: [SHARED_SECRETS],
    useFactory: (secrets: SharedSecrets) => () => secrets.identity() ?? notRead(),
  },
];

@Global()
@Module({ imports: [StoreModule, SecretsModule, ReadersModule], providers: parts, exports: parts })
class ApiPartsModule {}

const gatewayParts: Provider[] = [
  {
    provide: GATEWAY_PLACE,
    inject: [CONFIG],
    useFactory: ({ rpcGateway, listeners, trustProxy }: Config): ListenerPlace | null =>
      rpcGateway ? configuredPlace(listeners.rpc, trustProxy) : null,
  },
  {
    provide: GATEWAY_CHAINS,
    inject: [CONFIG],
    useFactory: ({ chains }: Config) => chains.map(({ slug }) => chainSpec(slug)!),
  },
];

const adminPlace: Provider = {
  provide: ADMIN_PLACE,
  inject: [CONFIG],
  useFactory: ({ accounts: { adminKey: key }, listeners, trustProxy }: Config): AdminPlace | null =>
    key === null ? null : { ...configuredPlace(listeners.accounts, trustProxy), key },
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
    @Inject(SafetyBook) private readonly found: SafetyBook,
    @Inject(LiveTransports) private readonly transports: LiveTransports,
    @Inject(GatewayListener) private readonly gateway: GatewayListener,
  ) {}

  onApplicationBootstrap(): void {
    this.sections.add('live', () => this.transports.status());
    this.sections.add('readers', () => [...this.readers.values()].map((reader) => reader.status()));
    if (this.gateway.url !== null) this.sections.add('gateway', () => this.gateway.status());
    addLiveMetrics(this.runtime.metrics, () => this.transports.status());
    addReaderMetrics(this.runtime.metrics, () => [...this.readers.values()].map((reader) => reader.status()));
    this.stages.start(this.book, this.found);
    for (const reader of this.readers.values()) this.stages.start(reader);
  }
}

/** The market-data API of a process: its readers, the api over them, and the gateway to the nodes. */
@Module({})
export class MarketDataModule {
  static of(): DynamicModule {
    const api = ApiModule.of();
    const gateway = GatewayModule.from(gatewayParts, dasMethods);
    const admin = AdminApiModule.from([adminPlace]);
    return {
      module: MarketDataModule,
      imports: [EventLogModule, AccountsModule, ReadersModule, ApiPartsModule, api, gateway, admin],
      providers: [MarketDataStart],
      exports: [api, gateway, admin],
    };
  }
}
