import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import type { ChainEndpoints } from '#libs/app/modules/chain-endpoints.js';
import { CHAIN_ENDPOINTS, LOGGER, VERSION } from '#libs/app/modules/tokens.js';
import { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import { type CursorKeys, CursorSigner } from '#libs/core/cursor.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import { declaredRoutes, type FeatureClass } from '#libs/serve/http/route-feature.js';
import { AnswerCache } from './access/answer-cache.js';
import {
  COPIES_CLOCK,
  CURSOR_KEYS,
  DECLARED_CHANNELS,
  DECLARED_ROUTES,
  IDENTITY,
  READERS,
  type Readers,
} from './access/api-parts.js';
import { ChainAccess } from './access/chain-access.js';
import { NativeBalances } from './access/native-balances.js';
import { Pages } from './access/pages.js';
import { ReadyAnswers } from './access/ready-answers.js';
import { StaleIfErrorCache } from './access/stale-if-error-cache.js';
import { declaredChannels } from './feature/feature.js';
import { NodeBalances } from './gateway/nodes/node-balances.js';
import { LiveFeeds } from './live/live-feeds.js';
import { LiveSubjects } from './live/live-subjects.js';

const shared: Provider[] = [
  { provide: ChainAccess, inject: [READERS], useFactory: (readers: Readers) => new ChainAccess(readers) },
  {
    provide: CursorSigner,
    inject: [CURSOR_KEYS],
    useFactory: (keys: Uint8Array | CursorKeys) => new CursorSigner(keys),
  },
  {
    provide: AnswerCache,
    inject: [VERSION, CursorSigner],
    useFactory: (version: string, cursors: CursorSigner) => new AnswerCache(version, cursors),
  },
  {
    provide: ReadyAnswers,
    inject: [AnswerCache, READERS],
    useFactory: (answers: AnswerCache, readers: Readers) =>
      new ReadyAnswers(answers, (chain) => readers.get(chain)!.view()),
  },
  {
    provide: StaleIfErrorCache,
    inject: [{ token: COPIES_CLOCK, optional: true }],
    useFactory: (now?: () => number) => new StaleIfErrorCache(now),
  },
  {
    provide: LiveFeeds,
    inject: [READERS, IDENTITY],
    useFactory: (readers: Readers, identity: () => Uint8Array) => new LiveFeeds(readers, identity),
  },
  {
    provide: NativeBalances,
    inject: [READERS, CHAIN_ENDPOINTS, LOGGER, NodePools],
    useFactory: (readers: Readers, endpoints: ChainEndpoints, logger: HttpLogger, nodePools: NodePools) =>
      new NodeBalances({ chains: [...readers.values()].map(({ chain }) => chain), endpoints, logger, nodePools }),
  },
  LiveSubjects,
  Pages,
];

/** What every feature answers from: the chains of this instance, kept answers, cursors, live feeds. */
@Global()
@Module({})
export class ServingModule {
  static over(features: readonly FeatureClass[]): DynamicModule {
    const providers: Provider[] = [
      { provide: DECLARED_ROUTES, useValue: declaredRoutes(features) },
      { provide: DECLARED_CHANNELS, useValue: declaredChannels(features) },
      ...shared,
    ];
    return { module: ServingModule, providers, exports: providers };
  }
}
