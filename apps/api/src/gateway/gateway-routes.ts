import type { Type } from '@nestjs/common';
import type { RouteHandler } from '#libs/serve/http/declared-route.js';
import { GatewayDocumentRoute } from './gateway-document.route.js';
import { GatewayHealthRoute } from './gateway-health.route.js';
import { ChainRpcRoute, RootRpcRoute } from './rpc.route.js';

/** The routes of the gateway's listener, in the order in which its document lists them. */
export const gatewayRoutes: readonly Type<RouteHandler>[] = [
  RootRpcRoute,
  ChainRpcRoute,
  GatewayHealthRoute,
  GatewayDocumentRoute,
] as readonly Type<RouteHandler>[];
