import { type DynamicModule, Global, Module } from '@nestjs/common';
import { LOGGER } from '#libs/app/modules/tokens.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import type { FeatureClass } from '#libs/serve/http/route-feature.js';
import { channelOf } from '#libs/serve/live/declared-channel.js';
import { LiveHub } from '#libs/serve/live/live-hub.js';
import { LIVE_SETTINGS } from '../access/api-parts.js';
import type { LiveSettings } from '../access/live-settings.js';
import { channelClasses } from '../feature/feature.js';
import { channelDeclarationOf, type LiveChannel } from '../feature/live-channel.js';
import { LiveTransports } from './transport/live-transports.js';
import { transportProviders } from './transport/transport-providers.js';

/** One hub over the channels of all features, and the transports into it. */
@Global()
@Module({})
export class LiveModule {
  static over(features: readonly FeatureClass[]): DynamicModule {
    const channels = channelClasses(features);
    const hub = {
      provide: LiveHub,
      inject: [LIVE_SETTINGS, LOGGER, ...channels],
      useFactory: ({ limits, clock }: LiveSettings, logger: HttpLogger, ...made: LiveChannel[]) => {
        const definitions = channels.map((type, index) =>
          channelOf(channelDeclarationOf(type), (parameters) => made[index]!.resolve(parameters)),
        );
        return new LiveHub({ channels: definitions, logger, limits, clock });
      },
    };
    return {
      module: LiveModule,
      imports: [...features],
      providers: [hub, ...transportProviders],
      exports: [LiveTransports],
    };
  }
}
