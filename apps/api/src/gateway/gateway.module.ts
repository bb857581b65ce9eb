import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { LOGGER } from '#libs/app/modules/tokens.js';
import { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { declarationOf } from '#libs/serve/http/declared-route.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import { routesProvider } from '#libs/serve/http/route-feature.js';
import { ChainGateway } from './chain-gateway.js';
import { RpcGateway } from './gateway.js';
import { GatewayListener } from './gateway-listener.js';
import {
  CHAIN_GATEWAYS,
  DECLARED_GATEWAY_ROUTES,
  GATEWAY_CHAINS,
  GATEWAY_PACE,
  GATEWAY_ROUTES,
  type GatewayPace,
} from './gateway-parts.js';
import { gatewayRoutes } from './gateway-routes.js';
import { KeptAnswers } from './kept-answers.js';
import { LocalMethods } from './local-methods.js';

type ChainGateways = ReadonlyMap<string, ChainGateway>;

const chains: Provider = {
  provide: CHAIN_GATEWAYS,
  inject: [GATEWAY_CHAINS, LOGGER, NodePools, { token: GATEWAY_PACE, optional: true }],
  useFactory: (
    specs: readonly ChainSpec[],
    logger: HttpLogger,
    nodePools: NodePools,
    pace?: GatewayPace,
  ): ChainGateways => {
    const kept = new KeptAnswers();
    return new Map(specs.map((chain) => [chain.slug, new ChainGateway({ chain, kept, logger, nodePools, ...pace })]));
  },
};

const gateway: Provider = {
  provide: RpcGateway,
  inject: [CHAIN_GATEWAYS, LocalMethods, LOGGER],
  useFactory: (served: ChainGateways, local: LocalMethods, logger: HttpLogger) =>
    new RpcGateway({ chains: served, local, logger }),
};

/** The JSON-RPC gateway: its routes, the chains behind it, and its listener. */
@Module({})
export class GatewayModule {
  /** `own` provides GATEWAY_PLACE, GATEWAY_CHAINS and, where it differs, GATEWAY_PACE; `local` LocalMethods. */
  static from(own: readonly Provider[], local: Provider<LocalMethods>): DynamicModule {
    const declared = { provide: DECLARED_GATEWAY_ROUTES, useValue: gatewayRoutes.map(declarationOf) };
    const routes = routesProvider(GATEWAY_ROUTES, gatewayRoutes);
    return {
      module: GatewayModule,
      providers: [...own, local, chains, gateway, declared, ...gatewayRoutes, routes, GatewayListener],
      exports: [GatewayListener],
    };
  }
}
