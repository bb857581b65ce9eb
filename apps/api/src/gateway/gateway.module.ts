import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import type { ChainEndpoints } from '#libs/app/modules/chain-endpoints.js';
import { ACCOUNTS, CHAIN_ENDPOINTS, LOGGER } from '#libs/app/modules/tokens.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { declarationOf, type RouteHandler } from '#libs/serve/http/declared-route.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import type { ProxiedPlace } from '../api-parts.js';
import { ChainGateway } from './chain-gateway.js';
import { RpcGateway } from './gateway.js';
import { GatewayListener } from './gateway-listener.js';
import { GATEWAY_CHAINS, GATEWAY_PACE, GATEWAY_PLACE, GATEWAY_ROUTES, type GatewayPace } from './gateway-parts.js';
import { gatewayRoutes } from './gateway-routes.js';
import { KeptAnswers } from './kept-answers.js';
import { LocalMethods } from './local-methods.js';

const CHAINS = Symbol('chains behind the gateway');

const chains: Provider = {
  provide: CHAINS,
  inject: [GATEWAY_CHAINS, LOGGER, { token: GATEWAY_PACE, optional: true }],
  useFactory: (
    specs: readonly ChainSpec[],
    logger: HttpLogger,
    pace?: GatewayPace,
  ): ReadonlyMap<string, ChainGateway> => {
    const kept = new KeptAnswers();
    return new Map(specs.map((chain) => [chain.slug, new ChainGateway({ chain, kept, logger, ...pace })]));
  },
};

const gateway: Provider = {
  provide: RpcGateway,
  inject: [CHAINS, LocalMethods, LOGGER],
  useFactory: (served: ReadonlyMap<string, ChainGateway>, local: LocalMethods, logger: HttpLogger) =>
    new RpcGateway({ chains: served, local, logger }),
};

const listener: Provider = {
  provide: GatewayListener,
  inject: [GATEWAY_PLACE, CHAINS, CHAIN_ENDPOINTS, ACCOUNTS, LOGGER, ...gatewayRoutes],
  useFactory: (
    place: ProxiedPlace | null,
    served: ReadonlyMap<string, ChainGateway>,
    endpoints: ChainEndpoints,
    accounts: Accounts | null,
    logger: HttpLogger,
    ...handlers: RouteHandler[]
  ) =>
    new GatewayListener(
      ...([place, served, endpoints, accounts, logger] as const),
      gatewayRoutes.map((type, index) => ({ type, handler: handlers[index]! })),
    ),
};

/** The JSON-RPC gateway: its routes, the chains behind it, and its listener. */
@Module({})
export class GatewayModule {
  /** `own` provides the tokens of gateway-parts, `local` LocalMethods. */
  static from(own: readonly Provider[], local: Provider<LocalMethods>): DynamicModule {
    const declared = { provide: GATEWAY_ROUTES, useValue: gatewayRoutes.map(declarationOf) };
    return {
      module: GatewayModule,
      providers: [...own, local, chains, gateway, declared, ...gatewayRoutes, listener],
      exports: [GatewayListener],
    };
  }
}
