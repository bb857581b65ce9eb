import type { Type } from '@nestjs/common';
import type { Prices } from '#libs/protocol/accounts/prices.js';
import { declareDocument, declareHealth } from '#libs/serve/contract/common-routes.js';
import { openApiDocument } from '#libs/serve/contract/documents/openapi-document.js';
import { commonErrors, keyErrors, largeBody } from '#libs/serve/contract/listener-errors.js';
import { HostErrorBody } from '#libs/serve/contract/rest/solana/host-error-body.js';
import type { RouteDeclaration } from '#libs/serve/contract/route-declaration.js';
import { Answer } from '#libs/serve/http/answer.js';
import { declarationOf, type RouteHandler, routeOf } from '#libs/serve/http/declared-route.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
import { yamlDocument } from '#libs/serve/http/yaml-document.js';

export interface DescribedHost {
  readonly title: string;
  readonly tag: string;
  readonly description: string;
}

/** The OpenAPI 3.1 document of one host, as YAML, made from the declarations of its routes. */
export const hostDocument = (host: DescribedHost, routes: readonly Type<RouteHandler>[], prices?: Prices): string =>
  openApiDocument({
    ...host,
    servers: ['/'],
    prices,
    routes: [...routes.map(declarationOf), health, documentOf(host)],
    errors: commonErrors,
    keyErrors,
    bodyErrors: [largeBody],
    errorBody: HostErrorBody,
  });

const health = declareHealth('getHealth', '/health');
const documentOf = ({ title }: DescribedHost): RouteDeclaration => declareDocument('getDocument', title);

/** The two open routes that every host has. */
export function openRoutes(
  host: DescribedHost,
  routes: readonly Type<RouteHandler>[],
  version: string,
  prices?: Prices,
): HttpRoute[] {
  const described = yamlDocument(() => hostDocument(host, routes, prices));
  const alive = Answer.json({ status: 'ok', version });
  return [routeOf(health, () => alive), routeOf(documentOf(host), described)];
}
