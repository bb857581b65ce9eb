import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { CursorSigner } from '#libs/core/cursor.js';
import { declaredRoutes, type FeatureClass } from '#libs/serve/http/route-feature.js';
import { AnswerCache } from './access/answer-cache.js';
import { API_DEPS, API_LOGGER, type ApiDeps, DECLARED_CHANNELS, DECLARED_ROUTES } from './access/api-deps.js';
import { ChainAccess } from './access/chain-access.js';
import { NativeBalances } from './access/native-balances.js';
import { declaredChannels } from './feature/feature.js';
import { NodeBalances } from './gateway/nodes/node-balances.js';
import { LiveFeeds } from './live/live-feeds.js';
import { LiveSubjects } from './live/live-subjects.js';

const identityOf = ({ identity, cursorKey }: ApiDeps): (() => Uint8Array) =>
  identity ?? (() => (cursorKey instanceof Uint8Array ? cursorKey : cursorKey.signing()));

/** What every feature answers from: the chains of this instance, kept answers, cursors, live feeds. */
@Global()
@Module({})
export class ServingModule {
  /** `deps` provides API_DEPS. */
  static over(deps: Provider<ApiDeps>, features: readonly FeatureClass[]): DynamicModule {
    const from = <T>(make: (given: ApiDeps) => T) => ({ inject: [API_DEPS], useFactory: make });
    const providers: Provider[] = [
      deps,
      { provide: API_LOGGER, ...from(({ logger }) => logger) },
      { provide: DECLARED_ROUTES, useValue: declaredRoutes(features) },
      { provide: DECLARED_CHANNELS, useValue: declaredChannels(features) },
      { provide: ChainAccess, ...from(({ readers }) => new ChainAccess(readers)) },
      { provide: CursorSigner, ...from(({ cursorKey }) => new CursorSigner(cursorKey)) },
      {
        provide: AnswerCache,
        inject: [API_DEPS, CursorSigner],
        useFactory: ({ version }: ApiDeps, cursors: CursorSigner) => new AnswerCache(version, cursors),
      },
      { provide: LiveFeeds, ...from((given) => new LiveFeeds(given.readers, identityOf(given))) },
      {
        provide: NativeBalances,
        ...from(
          ({ readers, endpoints, logger }) =>
            new NodeBalances({ chains: [...readers.values()].map(({ chain }) => chain), endpoints, logger }),
        ),
      },
      LiveSubjects,
    ];
    return { module: ServingModule, providers, exports: providers };
  }
}
