import { Inject } from '@nestjs/common';
import { ACCOUNTS } from '#libs/app/modules/tokens.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { declareDocument } from '#libs/serve/contract/common-routes.js';
import type { RouteDeclaration } from '#libs/serve/contract/route-declaration.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { yamlDocument } from '#libs/serve/http/yaml-document.js';
import { gatewayDocument } from './gateway-document.js';
import { DECLARED_GATEWAY_ROUTES } from './gateway-parts.js';

const declaration = declareDocument('getGatewayDocument', 'Tidepool JSON-RPC gateway');

@Route(declaration)
export class GatewayDocumentRoute implements RouteHandler {
  private readonly answer: () => Answer;

  constructor(
    @Inject(DECLARED_GATEWAY_ROUTES) routes: readonly RouteDeclaration[],
    @Inject(ACCOUNTS) accounts: Accounts | null,
  ) {
    this.answer = yamlDocument(() => gatewayDocument(routes, accounts?.prices));
  }

  handle(): Answer {
    return this.answer();
  }
}
