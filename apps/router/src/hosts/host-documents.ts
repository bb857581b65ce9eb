import type { Type } from '@nestjs/common';
import type { Prices } from '#libs/protocol/accounts/prices.js';
import { openApiDocument } from '#libs/serve/contract/documents/openapi-document.js';
import { HealthBody } from '#libs/serve/contract/rest/health-body.js';
import { HostErrorBody } from '#libs/serve/contract/rest/solana/host-error-body.js';
import { declareRoute, type RouteDeclaration } from '#libs/serve/contract/route-declaration.js';
import { Answer } from '#libs/serve/http/answer.js';
import { declarationOf, type RouteHandler, routeOf } from '#libs/serve/http/declared-route.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
import { yamlDocument } from '#libs/serve/http/yaml-document.js';
import { hostBodyErrors, hostCommonErrors, hostKeyErrors } from './host-errors.js';

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
    errors: hostCommonErrors,
    keyErrors: hostKeyErrors,
    bodyErrors: hostBodyErrors,
    errorBody: HostErrorBody,
  });

const open = { method: 'GET', errors: [], access: 'open', cost: 'free', cache: 'tagged' } as const;

const health: RouteDeclaration = declareRoute({
  ...{ ...open, id: 'getHealth', path: '/health', summary: 'Liveness', answer: HealthBody },
});

const documentOf = ({ title }: DescribedHost): RouteDeclaration =>
  declareRoute({
    ...{ ...open, id: 'getDocument', path: '/openapi.yaml', summary: 'This document' },
    answer: {
      mediaType: 'application/yaml',
      description: 'OpenAPI 3.1, YAML.',
      example: { openapi: '3.1.0', info: { title, version: '1.0.0' }, paths: {} },
    },
  });

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
