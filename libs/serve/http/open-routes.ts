import { Inject, type Type } from '@nestjs/common';
import type { Prices } from '#libs/protocol/accounts/prices.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { declareDocument, declareHealth } from '#libs/serve/contract/common-routes.js';
import type { RouteDeclaration } from '#libs/serve/contract/route-declaration.js';
import { Answer } from './answer.js';
import { Route, type RouteHandler } from './declared-route.js';
import { yamlDocument } from './yaml-document.js';

/** The liveness route of a program; `version`: the token of the program's version. */
export function healthRoute(id: string, path: string, version: symbol): Type<RouteHandler> {
  @Route(declareHealth(id, path))
  class HealthRoute implements RouteHandler {
    private readonly answer: Answer;

    constructor(@Inject(version) running: string) {
      this.answer = Answer.json({ status: 'ok', version: running });
    }

    handle(): Answer {
      return this.answer;
    }
  }
  return HealthRoute;
}

/** The route of the OpenAPI document of a listener, made of the declared routes and the accounts under these tokens. */
export function documentRoute(
  id: string,
  title: string,
  { routes, accounts }: Readonly<Record<'routes' | 'accounts', symbol>>,
  documentOf: (routes: readonly RouteDeclaration[], prices?: Prices) => string,
): Type<RouteHandler> {
  @Route(declareDocument(id, title))
  class DocumentRoute implements RouteHandler {
    readonly handle: () => Answer;

    constructor(@Inject(routes) declared: readonly RouteDeclaration[], @Inject(accounts) known: Accounts | null) {
      this.handle = yamlDocument(() => documentOf(declared, known?.prices));
    }
  }
  return DocumentRoute;
}
