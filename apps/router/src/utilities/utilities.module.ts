import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import type { RouteHandler } from '#libs/serve/http/declared-route.js';
import { type HostDeps, HostListener, hostDeadline } from '../hosts/host-listener.js';
import { SolanaUtilities } from './solana-utilities.js';
import { utilitiesHost, utilitiesRoutes } from './utilities-host.js';

export const UTILITIES_DEPS = Symbol('what the listener of the Solana utilities is composed from');

/** The listener of the Solana utilities. */
export class UtilitiesListener extends HostListener {}

const listener: Provider = {
  provide: UtilitiesListener,
  inject: [UTILITIES_DEPS, ...utilitiesRoutes],
  useFactory: (deps: HostDeps, ...handlers: RouteHandler[]) =>
    new UtilitiesListener(
      utilitiesHost,
      deps,
      utilitiesRoutes.map((type, index) => ({ type, handler: handlers[index]! })),
    ),
};

@Module({})
export class UtilitiesModule {
  /** `deps` provides UTILITIES_DEPS, `utilities` SolanaUtilities; `imports` what they ask for. */
  static from(
    deps: Provider<HostDeps>,
    utilities: Provider<SolanaUtilities>,
    imports: readonly DynamicModule[] = [],
  ): DynamicModule {
    return {
      module: UtilitiesModule,
      imports: [...imports],
      providers: [deps, hostDeadline(UTILITIES_DEPS), utilities, ...utilitiesRoutes, listener],
      exports: [UtilitiesListener, SolanaUtilities],
    };
  }
}
