import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnModuleDestroy,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import { LOGGER, VERSION } from '#libs/app/modules/tokens.js';
import { createListener, type HttpLogger, type Listener } from '#libs/serve/http/listener.js';
import { routesProvider } from '#libs/serve/http/route-feature.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
import type { ProxiedPlace } from '../access/api-parts.js';
import { apiErrorBody } from '../api-listener.js';
import { AdminAccounts } from './admin-accounts.js';
import { adminOpenRoutes, adminRoutes } from './admin-document.js';
import { AdminGuard } from './admin-guard.js';

/** Where the admin API listens, and the key that it asks for. */
export interface AdminPlace extends ProxiedPlace {
  key: string;
}

/** null: this instance has no admin API. */
export const ADMIN_PLACE = Symbol('place of the admin API');
const ADMIN_ROUTES = Symbol('routes of the admin API');

/** The listener of the admin API: open while the application runs, where a key is configured. */
@Injectable()
export class AdminApiListener implements OnModuleInit, OnModuleDestroy {
  private listener: Listener | null = null;

  constructor(
    @Inject(ADMIN_PLACE) private readonly place: AdminPlace | null,
    @Inject(ADMIN_ROUTES) private readonly routes: readonly HttpRoute[],
    @Inject(VERSION) private readonly version: string,
    @Inject(LOGGER) private readonly logger: HttpLogger,
  ) {}

  /** null: there is none. */
  get url(): string | null {
    return this.listener?.url ?? null;
  }

  async onModuleInit(): Promise<void> {
    const { place, version, logger } = this;
    if (place === null) return;
    const { key, bind: host, port, trustProxy, explain } = place;
    const routes = [...this.routes, ...adminOpenRoutes(version)];
    this.listener = await createListener({
      ...{ routes, guard: new AdminGuard(key), accounts: null, errorBody: apiErrorBody, trustProxy, logger },
      ...{ host, port },
    }).catch((error: unknown) => {
      throw explain === undefined ? error : explain(error);
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.listener?.close();
  }
}

@Module({})
export class AdminApiModule {
  /** `own` provides ADMIN_PLACE. */
  static from(own: readonly Provider[]): DynamicModule {
    return {
      module: AdminApiModule,
      providers: [...own, AdminAccounts, ...adminRoutes, routesProvider(ADMIN_ROUTES, adminRoutes), AdminApiListener],
      exports: [AdminApiListener],
    };
  }
}
