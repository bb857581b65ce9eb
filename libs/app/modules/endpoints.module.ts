import { Global, Module, type Provider } from '@nestjs/common';
import type { Config } from '#libs/platform/config.js';
import { ConfiguredEndpoints } from './chain-endpoints.js';
import { CHAIN_ENDPOINTS, CONFIG } from './tokens.js';

const endpoints: Provider = {
  provide: CHAIN_ENDPOINTS,
  inject: [CONFIG],
  useFactory: (config: Config) => new ConfiguredEndpoints(config),
};

/** The nodes that the configuration names, for an app that makes no local chains. */
@Global()
@Module({ providers: [endpoints], exports: [endpoints] })
export class ConfiguredEndpointsModule {}
