import { type DynamicModule, Global, Module } from '@nestjs/common';
import { CursorSigner } from '#libs/core/cursor.js';
import { AnswerCache } from './access/answer-cache.js';
import { API_DEPS, type ApiDeps, DECLARED_CHANNELS, DECLARED_ROUTES, LOGGER } from './access/api-deps.js';
import { ChainAccess } from './access/chain-access.js';
import { declaredChannels, declaredRoutes, type FeatureClass } from './feature/feature.js';
import { LiveFeeds } from './live/live-feeds.js';
import { LiveSubjects } from './live/live-subjects.js';

/** What every feature answers from: the chains of this instance, kept answers, cursors, live feeds. */
@Global()
@Module({})
export class ServingModule {
  static over(deps: ApiDeps, features: readonly FeatureClass[]): DynamicModule {
    const providers = [
      { provide: API_DEPS, useValue: deps },
      { provide: LOGGER, useValue: deps.logger },
      { provide: DECLARED_ROUTES, useValue: declaredRoutes(features) },
      { provide: DECLARED_CHANNELS, useValue: declaredChannels(features) },
      { provide: ChainAccess, useFactory: () => new ChainAccess(deps.readers) },
      { provide: AnswerCache, useFactory: () => new AnswerCache(deps.version) },
      { provide: CursorSigner, useFactory: () => new CursorSigner(deps.cursorKey) },
      { provide: LiveFeeds, useFactory: () => new LiveFeeds(deps.readers, deps.cursorKey) },
      LiveSubjects,
    ];
    return { module: ServingModule, providers, exports: providers };
  }
}
