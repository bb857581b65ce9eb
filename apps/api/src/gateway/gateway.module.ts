import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { declarationOf, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { ChainGateway } from './chain-gateway.js';
import { RpcGateway } from './gateway.js';
import { GATEWAY_DEPS, GATEWAY_ROUTES, type GatewayDeps } from './gateway-deps.js';
import { GatewayListener } from './gateway-listener.js';
import { gatewayRoutes } from './gateway-routes.js';
import { KeptAnswers } from './kept-answers.js';
import { LocalMethods } from './local-methods.js';

const CHAINS = Symbol('chains behind the gateway');

const chains: Provider = {
  provide: CHAINS,
  inject: [GATEWAY_DEPS],
  useFactory: ({ chains: specs, logger, pace }: GatewayDeps): ReadonlyMap<string, ChainGateway> => {
    const kept = new KeptAnswers();
    return new Map(specs.map((chain) => [chain.slug, new ChainGateway({ chain, kept, logger, ...pace })]));
  },
};

const gateway: Provider = {
  provide: RpcGateway,
  inject: [CHAINS, LocalMethods, GATEWAY_DEPS],
  useFactory: (served: ReadonlyMap<string, ChainGateway>, local: LocalMethods, { logger }: GatewayDeps) =>
    new RpcGateway({ chains: served, local, logger }),
};

const listener: Provider = {
  provide: GatewayListener,
  inject: [GATEWAY_DEPS, CHAINS, ...gatewayRoutes],
  useFactory: (deps: GatewayDeps, served: ReadonlyMap<string, ChainGateway>, ...handlers: RouteHandler[]) =>
    new GatewayListener(
      deps,
      served,
      gatewayRoutes.map((type, index) => ({ type, handler: handlers[index]! })),
    ),
};

/** The JSON-RPC gateway: its routes, the chains behind it, and its listener. */
@Module({})
export class GatewayModule {
  /** `deps` provides GATEWAY_DEPS, `local` LocalMethods. */
  static from(deps: Provider<GatewayDeps>, local: Provider<LocalMethods>): DynamicModule {
    const declared = { provide: GATEWAY_ROUTES, useValue: gatewayRoutes.map(declarationOf) };
    return {
      module: GatewayModule,
      providers: [deps, local, chains, gateway, declared, ...gatewayRoutes, listener],
      exports: [GatewayListener],
    };
  }
}
