import { Inject } from '@nestjs/common';
import { declareRoute, type RouteDeclaration } from '#libs/serve/contract/route-declaration.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { yamlDocument } from '#libs/serve/http/yaml-document.js';
import { GATEWAY_DEPS, GATEWAY_ROUTES, type GatewayDeps } from './gateway-deps.js';
import { gatewayDocument } from './gateway-document.js';

const declaration = declareRoute({
  id: 'getGatewayDocument',
  method: 'GET',
  path: '/openapi.yaml',
  summary: 'This document',
  answer: {
    mediaType: 'application/yaml',
    description: 'OpenAPI 3.1, YAML.',
    example: { openapi: '3.1.0', info: { title: 'Tidepool JSON-RPC gateway', version: '1.0.0' }, paths: {} },
  },
  errors: [],
  access: 'open',
  cost: 'free',
  cache: 'tagged',
});

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
