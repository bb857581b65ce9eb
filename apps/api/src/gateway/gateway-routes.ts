import type { Type } from '@nestjs/common';
import { ACCOUNTS, VERSION } from '#libs/app/modules/tokens.js';
import type { RouteHandler } from '#libs/serve/http/declared-route.js';
import { documentRoute, healthRoute } from '#libs/serve/http/open-routes.js';
import { gatewayDocument } from './gateway-document.js';
import { DECLARED_GATEWAY_ROUTES } from './gateway-parts.js';
import { ChainRpcRoute, RootRpcRoute } from './rpc.route.js';

const from = { routes: DECLARED_GATEWAY_ROUTES, accounts: ACCOUNTS };

/** The routes of the gateway's listener, in the order in which its document lists them. */
export const gatewayRoutes: readonly Type<RouteHandler>[] = [
  RootRpcRoute,
  ChainRpcRoute,
  healthRoute('getGatewayHealth', '/health', VERSION),
  documentRoute('getGatewayDocument', 'Tidepool JSON-RPC gateway', from, gatewayDocument),
] as readonly Type<RouteHandler>[];
