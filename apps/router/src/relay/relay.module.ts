import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import type { RouteHandler } from '#libs/serve/http/declared-route.js';
import { type HostDeps, HostListener, hostDeadline } from '../hosts/host-listener.js';
import { BundleRelay } from './bundle-relay.js';
import { relayHost, relayRoutes } from './relay-host.js';

export const RELAY_DEPS = Symbol('what the relay’s listener is composed from');

/** The listener of the bundle relay. */
export class RelayListener extends HostListener {}

const listener: Provider = {
  provide: RelayListener,
  inject: [RELAY_DEPS, ...relayRoutes],
  useFactory: (deps: HostDeps, ...handlers: RouteHandler[]) =>
    new RelayListener(
      relayHost,
      deps,
      relayRoutes.map((type, index) => ({ type, handler: handlers[index]! })),
    ),
};

@Module({})
export class RelayModule {
  /** `deps` provides RELAY_DEPS, `relay` BundleRelay. */
  static from(deps: Provider<HostDeps>, relay: Provider<BundleRelay>): DynamicModule {
    return {
      module: RelayModule,
      providers: [deps, hostDeadline(RELAY_DEPS), relay, ...relayRoutes, listener],
      exports: [RelayListener, BundleRelay],
    };
  }
}
