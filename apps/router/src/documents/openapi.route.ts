import { Inject } from '@nestjs/common';
import { ACCOUNTS } from '#libs/app/modules/tokens.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { declareDocument } from '#libs/serve/contract/common-routes.js';
import type { RouteDeclaration } from '#libs/serve/contract/route-declaration.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { yamlDocument } from '#libs/serve/http/yaml-document.js';
import { DECLARED_ROUTES } from '../tokens.js';
import { routerDocument } from './router-document.js';

const declaration = declareDocument('getDocument', 'Tidepool router');

@Route(declaration)
export class OpenApiRoute implements RouteHandler {
  private readonly answer: () => Answer;

  constructor(
    @Inject(DECLARED_ROUTES) routes: readonly RouteDeclaration[],
    @Inject(ACCOUNTS) accounts: Accounts | null,
  ) {
    this.answer = yamlDocument(() => routerDocument(routes, accounts?.prices));
  }

  handle(): Answer {
    return this.answer();
  }
}
