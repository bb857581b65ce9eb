import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { FeatureClass } from '#libs/serve/http/route-feature.js';
import { channelOf } from '#libs/serve/live/declared-channel.js';
import { LiveHub } from '#libs/serve/live/live-hub.js';
import { API_DEPS, type ApiDeps } from '../access/api-deps.js';
import { channelClasses } from '../feature/feature.js';
import { channelDeclarationOf, type LiveChannel } from '../feature/live-channel.js';
import { LiveTransports } from './transport/live-transports.js';

const DEFAULT_CONNECTIONS = 5_000;

/** One hub over the channels of all features, and the transports into it. */
@Global()
@Module({})
export class LiveModule {
  static over(features: readonly FeatureClass[]): DynamicModule {
    const channels = channelClasses(features);
    const hub = {
      provide: LiveHub,
      inject: [API_DEPS, ...channels],
      useFactory: ({ config, logger }: ApiDeps, ...made: LiveChannel[]) => {
        const definitions = channels.map((type, index) =>
          channelOf(channelDeclarationOf(type), (parameters) => made[index]!.resolve(parameters)),
        );
        return new LiveHub({ channels: definitions, logger, limits: config.live?.limits, clock: config.live?.clock });
      },
    };
    const transports = {
      provide: LiveTransports,
      inject: [LiveHub, API_DEPS],
      useFactory: (into: LiveHub, { accounts, config, logger }: ApiDeps) => {
        const { limits: _limits, clock: _clock, maxConnections = DEFAULT_CONNECTIONS, ...pace } = config.live ?? {};
        return new LiveTransports({ hub: into, accounts, logger, maxConnections, ...pace });
      },
    };
    const providers = [hub, transports];
    return { module: LiveModule, imports: [...features], providers, exports: providers };
  }
}
