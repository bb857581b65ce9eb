import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import type { RouteHandler } from '#libs/serve/http/declared-route.js';
import { type FeatureClass, routeClasses } from '#libs/serve/http/route-feature.js';
import { AnswerCache } from './access/answer-cache.js';
import { API_DEPS, type ApiDeps } from './access/api-deps.js';
import { ApiListener } from './api-listener.js';
import { features as allFeatures } from './features.js';
import { LiveModule } from './live/live.module.js';
import { LiveFeeds } from './live/live-feeds.js';
import { LiveTransports } from './live/transport/live-transports.js';
import { ServingModule } from './serving.module.js';

/** The market-data API as one Nest application: features, the live interface, the listener that has both. */
@Module({})
export class ApiModule {
  /** Over given parts, for a program that opened them itself. */
  static over(deps: ApiDeps, features?: readonly FeatureClass[]): DynamicModule {
    return ApiModule.from({ provide: API_DEPS, useValue: deps }, features);
  }

  /** `deps` provides API_DEPS. */
  static from(deps: Provider<ApiDeps>, features: readonly FeatureClass[] = allFeatures): DynamicModule {
    const types = routeClasses(features);
    const listener = {
      provide: ApiListener,
      inject: [API_DEPS, LiveTransports, LiveFeeds, AnswerCache, ...types],
      useFactory: (
        own: ApiDeps,
        transports: LiveTransports,
        feeds: LiveFeeds,
        answers: AnswerCache,
        ...handlers: RouteHandler[]
      ) =>
        new ApiListener(
          own,
          transports,
          feeds,
          answers,
          types.map((type, index) => ({ type, handler: handlers[index]! })),
        ),
    };
    return {
      module: ApiModule,
      imports: [ServingModule.over(deps, features), LiveModule.over(features), ...features],
      providers: [listener],
      exports: [ApiListener],
    };
  }
}
