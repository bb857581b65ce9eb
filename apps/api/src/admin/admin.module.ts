import {
  type DynamicModule,
  Module,
  type OnModuleDestroy,
  type OnModuleInit,
  type Provider,
  type Type,
} from '@nestjs/common';
import { LOGGER, VERSION } from '#libs/app/modules/tokens.js';
import { type RouteHandler, routeOfHandler } from '#libs/serve/http/declared-route.js';
import { createListener, type HttpLogger, type Listener } from '#libs/serve/http/listener.js';
import { apiErrorBody } from '../api-listener.js';
import type { ProxiedPlace } from '../api-parts.js';
import { AdminAccounts } from './admin-accounts.js';
import { adminOpenRoutes, adminRoutes } from './admin-document.js';
import { AdminGuard } from './admin-guard.js';

/** Where the admin API listens, and the key that it asks for. */
export interface AdminPlace extends ProxiedPlace {
  key: string;
}

/** null: this instance has no admin API. */
export const ADMIN_PLACE = Symbol('place of the admin API');

/** The listener of the admin API: open while the application runs, where a key is configured. */
export class AdminApiListener implements OnModuleInit, OnModuleDestroy {
  private listener: Listener | null = null;

  constructor(
    private readonly place: AdminPlace | null,
    private readonly version: string,
    private readonly logger: HttpLogger,
    private readonly handlers: readonly { type: Type<RouteHandler>; handler: RouteHandler }[],
  ) {}

  /** null: there is none. */
  get url(): string | null {
    return this.listener?.url ?? null;
  }

  async onModuleInit(): Promise<void> {
    const { place, version, logger } = this;
    if (place === null) return;
    const { key, bind: host, port, trustProxy, explain } = place;
    const routes = [
      ...this.handlers.map(({ type, handler }) => routeOfHandler(type, handler)),
      ...adminOpenRoutes(version),
    ];
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

const listener: Provider = {
  provide: AdminApiListener,
  inject: [ADMIN_PLACE, VERSION, LOGGER, ...adminRoutes],
  useFactory: (place: AdminPlace | null, version: string, logger: HttpLogger, ...handlers: RouteHandler[]) =>
    new AdminApiListener(
      ...([place, version, logger] as const),
      adminRoutes.map((type, index) => ({ type, handler: handlers[index]! })),
    ),
};

@Module({})
export class AdminApiModule {
  /** `own` provides ADMIN_PLACE. */
  static from(own: readonly Provider[]): DynamicModule {
    return {
      module: AdminApiModule,
      providers: [...own, AdminAccounts, ...adminRoutes, listener],
      exports: [AdminApiListener],
    };
  }
}
