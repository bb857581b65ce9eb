import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import type { RouteHandler } from '#libs/serve/http/declared-route.js';
import { declaredRoutes, type FeatureClass, routeClasses } from '#libs/serve/http/route-feature.js';
import { features as allFeatures } from './features.js';
import { RequestDeadline } from './http/request-deadline.js';
import { ownLaunch } from './launch/launch-deps.js';
import { OwnAddress } from './own-address.js';
import { ROUTER_DEPS, type RouterDeps } from './router-deps.js';
import { RouterListener } from './router-listener.js';
import { unservedSolana } from './solana/solana-row.js';
import {
  DECLARED_ROUTES,
  EVM_CHAINS,
  HELD_QUOTES,
  LAUNCH,
  NOW,
  OWN_ADDRESS,
  RECEIPTS,
  REQUEST_DEADLINE,
  ROUTER_LOGGER,
  SOLANA_CHAIN,
  VERSION,
} from './tokens.js';

/** What every route may ask for. */
@Global()
@Module({})
class PartsModule {
  /** `deps` provides ROUTER_DEPS. */
  static over(deps: Provider<RouterDeps>, features: readonly FeatureClass[]): DynamicModule {
    const part = <T>(provide: symbol, make: (given: RouterDeps) => T): Provider<T> => {
      return { provide, inject: [ROUTER_DEPS], useFactory: make };
    };
    const providers: Provider[] = [
      deps,
      part(EVM_CHAINS, ({ chains }) => chains),
      part(SOLANA_CHAIN, ({ solana }) => solana ?? unservedSolana()),
      part(HELD_QUOTES, ({ held }) => held),
      part(RECEIPTS, ({ receipts }) => receipts),
      part(LAUNCH, ({ launch, now }) => launch ?? ownLaunch(now ?? Date.now)),
      { provide: OWN_ADDRESS, useValue: new OwnAddress() },
      part(ROUTER_LOGGER, ({ logger }) => logger),
      part(NOW, ({ now }) => now ?? Date.now),
      part(VERSION, ({ version }) => version),
      part(REQUEST_DEADLINE, ({ config, clock }) => new RequestDeadline(config.requestTimeoutMs, clock)),
      { provide: DECLARED_ROUTES, useValue: declaredRoutes(features) },
    ];
    return { module: PartsModule, providers, exports: providers };
  }
}

/** The routes of the router as one Nest application: features, and the listener that serves them. */
@Module({})
export class RoutesModule {
  /** Over given parts, for a program that opened them itself. */
  static over(deps: RouterDeps, features?: readonly FeatureClass[]): DynamicModule {
    return RoutesModule.from({ provide: ROUTER_DEPS, useValue: deps }, features);
  }

  /** `deps` provides ROUTER_DEPS. */
  static from(deps: Provider<RouterDeps>, features: readonly FeatureClass[] = allFeatures): DynamicModule {
    const types = routeClasses(features);
    const listener = {
      provide: RouterListener,
      inject: [ROUTER_DEPS, OWN_ADDRESS, ...types],
      useFactory: (given: RouterDeps, own: OwnAddress, ...handlers: RouteHandler[]) =>
        new RouterListener(
          given,
          own,
          types.map((type, index) => ({ type, handler: handlers[index]! })),
        ),
    };
    return {
      module: RoutesModule,
      imports: [PartsModule.over(deps, features), ...features],
      providers: [listener],
      exports: [RouterListener],
    };
  }
}
