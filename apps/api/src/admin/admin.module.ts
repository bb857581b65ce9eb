import {
  type DynamicModule,
  Module,
  type OnModuleDestroy,
  type OnModuleInit,
  type Provider,
  type Type,
} from '@nestjs/common';
import { type RouteHandler, routeOfHandler } from '#libs/serve/http/declared-route.js';
import { createListener, type HttpLogger, type Listener } from '#libs/serve/http/listener.js';
import type { ListenPlace } from '../access/api-deps.js';
import { apiErrorBody } from '../api-listener.js';
import { AdminAccounts, type AdminAccountsParts } from './admin-accounts.js';
import { adminOpenRoutes, adminRoutes } from './admin-document.js';
import { AdminGuard } from './admin-guard.js';

export interface AdminDeps extends AdminAccountsParts {
  /** null: this instance has no admin API. */
  key: string | null;
  place: ListenPlace;
  logger: HttpLogger;
  version: string;
  trustProxy?: boolean | number | string[];
}

export const ADMIN_DEPS = Symbol('what the admin API is composed from');

/** The listener of the admin API: open while the application runs, where a key is configured. */
export class AdminApiListener implements OnModuleInit, OnModuleDestroy {
  private listener: Listener | null = null;

  constructor(
    private readonly deps: AdminDeps,
    private readonly handlers: readonly { type: Type<RouteHandler>; handler: RouteHandler }[],
  ) {}

  /** null: there is none. */
  get url(): string | null {
    return this.listener?.url ?? null;
  }

  async onModuleInit(): Promise<void> {
    const { key, place, logger, version, trustProxy } = this.deps;
    if (key === null) return;
    const routes = [
      ...this.handlers.map(({ type, handler }) => routeOfHandler(type, handler)),
      ...adminOpenRoutes(version),
    ];
    this.listener = await createListener({
      ...{ routes, guard: new AdminGuard(key), accounts: null, errorBody: apiErrorBody, trustProxy, logger },
      ...{ host: place.bind, port: place.port },
    }).catch((error: unknown) => {
      throw place.explain === undefined ? error : place.explain(error);
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.listener?.close();
  }
}

const listener: Provider = {
  provide: AdminApiListener,
  inject: [ADMIN_DEPS, ...adminRoutes],
  useFactory: (deps: AdminDeps, ...handlers: RouteHandler[]) =>
    new AdminApiListener(
      deps,
      adminRoutes.map((type, index) => ({ type, handler: handlers[index]! })),
    ),
};

const accounts: Provider = {
  provide: AdminAccounts,
  inject: [ADMIN_DEPS],
  useFactory: (deps: AdminDeps) => new AdminAccounts(deps),
};

@Module({})
export class AdminApiModule {
  /** `deps` provides ADMIN_DEPS. */
  static from(deps: Provider<AdminDeps>): DynamicModule {
    return {
      module: AdminApiModule,
      providers: [deps, accounts, ...adminRoutes, listener],
      exports: [AdminApiListener],
    };
  }
}
