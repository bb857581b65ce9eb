import { Inject } from '@nestjs/common';
import { declareDocument } from '#libs/serve/contract/common-routes.js';
import type { RouteDeclaration } from '#libs/serve/contract/route-declaration.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { yamlDocument } from '#libs/serve/http/yaml-document.js';
import { GATEWAY_DEPS, GATEWAY_ROUTES, type GatewayDeps } from './gateway-deps.js';
import { gatewayDocument } from './gateway-document.js';

const declaration = declareDocument('getGatewayDocument', 'Tidepool JSON-RPC gateway');

@Route(declaration)
export class GatewayDocumentRoute implements RouteHandler {
  private readonly answer: () => Answer;

  constructor(
    @Inject(GATEWAY_ROUTES) routes: readonly RouteDeclaration[],
    @Inject(GATEWAY_DEPS) { accounts }: GatewayDeps,
  ) {
    this.answer = yamlDocument(() => gatewayDocument(routes, accounts?.prices));
  }

  handle(): Answer {
    return this.answer();
  }
}
