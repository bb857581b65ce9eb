import { Global, Module, type Provider } from '@nestjs/common';
import type { Config } from '#libs/platform/config.js';
import { ConfiguredEndpoints } from './chain-endpoints.js';
import { CHAIN_ENDPOINTS, CONFIG, ROUTER_URL } from './tokens.js';

const endpoints: Provider = {
  provide: CHAIN_ENDPOINTS,
  inject: [CONFIG],
  useFactory: (config: Config) => new ConfiguredEndpoints(config),
};

const routerUrl: Provider = {
  provide: ROUTER_URL,
  inject: [CONFIG],
  useFactory: (config: Config) => () => config.publicRouterUrl,
};

/** The nodes and the router that the configuration names, for an app that makes no local chains and has no router in its process. */
@Global()
@Module({ providers: [endpoints, routerUrl], exports: [endpoints, routerUrl] })
export class ConfiguredEndpointsModule {}
