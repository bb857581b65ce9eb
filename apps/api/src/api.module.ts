import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { LOGGER } from '#libs/app/modules/tokens.js';
import type { RouteHandler } from '#libs/serve/http/declared-route.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import { type FeatureClass, routeClasses } from '#libs/serve/http/route-feature.js';
import { API_ROUTES, type ApiParts, providersOf } from './access/api-parts.js';
import { ReadyAnswers } from './access/ready-answers.js';
import { StaleIfErrorCache } from './access/stale-if-error-cache.js';
import { ApiListener } from './api-listener.js';
import { apiRoutes } from './api-routes.js';
import { features as allFeatures } from './features.js';
import { LiveModule } from './live/live.module.js';
import { ServingModule } from './serving.module.js';

class GivenParts {}

/** The market-data API as one Nest application: features, the live interface, the listener that has both. */
@Module({})
export class ApiModule {
  /** Over given parts, for a program that opened them itself. */
  static over(parts: ApiParts, features?: readonly FeatureClass[]): DynamicModule {
    const providers = providersOf(parts);
    const given = { module: GivenParts, global: true, providers, exports: providers };
    const api = ApiModule.of(features);
    return { ...api, imports: [given, ...api.imports!] };
  }

  /** Over what global modules provide under the tokens of api-parts. */
  static of(features: readonly FeatureClass[] = allFeatures): DynamicModule {
    const types = routeClasses(features);
    const routes: Provider = {
      provide: API_ROUTES,
      inject: [LOGGER, StaleIfErrorCache, ReadyAnswers, ...types],
      useFactory: (logger: HttpLogger, copies: StaleIfErrorCache, ready: ReadyAnswers, ...handlers: RouteHandler[]) =>
        apiRoutes(
          types.map((type, index) => [type, handlers[index]!]),
          { logger, copies, ready },
        ),
    };
    return {
      module: ApiModule,
      imports: [ServingModule.over(features), LiveModule.over(features), ...features],
      providers: [routes, ApiListener],
      exports: [ApiListener],
    };
  }
}
