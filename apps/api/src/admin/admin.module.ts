import { type DynamicModule, Inject, Injectable, Module, type Provider } from '@nestjs/common';
import { LOGGER, VERSION } from '#libs/app/modules/tokens.js';
import type { HttpLogger, Listener } from '#libs/serve/http/listener.js';
import { type ListenerPlace, ModuleListener, openListener } from '#libs/serve/http/listener-place.js';
import { apiErrorBody } from '../api-listener.js';
import { AdminAccounts } from './admin-accounts.js';
import { adminOpenRoutes, adminRoutes } from './admin-document.js';
import { AdminGuard } from './admin-guard.js';

/** Where the admin API listens, and the key that it asks for. */
export interface AdminPlace extends ListenerPlace {
  key: string;
}

/** null: this instance has no admin API. */
export const ADMIN_PLACE = Symbol('place of the admin API');

/** The listener of the admin API: open while the application runs, where a key is configured. */
@Injectable()
export class AdminApiListener extends ModuleListener {
  constructor(
    @Inject(ADMIN_PLACE) private readonly place: AdminPlace | null,
    private readonly accounts: AdminAccounts,
    @Inject(VERSION) private readonly version: string,
    @Inject(LOGGER) private readonly logger: HttpLogger,
  ) {
    super();
  }

  protected async open(): Promise<Listener | null> {
    const { place, version, logger } = this;
    if (place === null) return null;
    const routes = [...adminRoutes.map((route) => route.over(this.accounts)), ...adminOpenRoutes(version)];
    const guard = new AdminGuard(place.key);
    return openListener(place, { routes, guard, accounts: null, errorBody: apiErrorBody, logger });
  }
}

@Module({})
export class AdminApiModule {
  /** `own` provides ADMIN_PLACE. */
  static from(own: readonly Provider[]): DynamicModule {
    return {
      module: AdminApiModule,
      providers: [...own, AdminAccounts, AdminApiListener],
      exports: [AdminApiListener],
    };
  }
}
