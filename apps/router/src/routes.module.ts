import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { ACCOUNTS, LOGGER } from '#libs/app/modules/tokens.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import type { RouteHandler } from '#libs/serve/http/declared-route.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import type { ListenerPlace } from '#libs/serve/http/listener-place.js';
import type { RequestClock } from '#libs/serve/http/request-limits.js';
import { declaredRoutes, type FeatureClass, routeClasses } from '#libs/serve/http/route-feature.js';
import { features as allFeatures } from './features.js';
import { OwnAddress } from './own-address.js';
import { RouterListener } from './router-listener.js';
import { DECLARED_ROUTES, REQUEST_CLOCK, ROUTER_PLACE } from './tokens.js';

/** What the features learn of the router that they are part of: its address, and the declarations of all its routes. */
@Global()
@Module({})
class OwnRouterModule {
  static of(features: readonly FeatureClass[]): DynamicModule {
    const providers: Provider[] = [OwnAddress, { provide: DECLARED_ROUTES, useValue: declaredRoutes(features) }];
    return { module: OwnRouterModule, providers, exports: providers };
  }
}

/**
 * The routes of the router: its features, and the listener that serves them. What they inject comes from global modules: those
 * of RouterModule in a process, and one of given parts in a test.
 */
@Module({})
export class RoutesModule {
  static of(features: readonly FeatureClass[] = allFeatures): DynamicModule {
    const types = routeClasses(features);
    const listener: Provider<RouterListener> = {
      provide: RouterListener,
      inject: [ROUTER_PLACE, ACCOUNTS, LOGGER, REQUEST_CLOCK, OwnAddress, ...types],
      useFactory: (
        place: ListenerPlace,
        accounts: Accounts | null,
        logger: HttpLogger,
        clock: RequestClock,
        own: OwnAddress,
        ...handlers: RouteHandler[]
      ) =>
        new RouterListener(
          { place, accounts, logger, clock, own },
          types.map((type, index) => ({ type, handler: handlers[index]! })),
        ),
    };
    return {
      module: RoutesModule,
      imports: [OwnRouterModule.of(features), ...features],
      providers: [listener],
      exports: [RouterListener],
    };
  }
}
