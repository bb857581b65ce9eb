import type { Type } from '@nestjs/common';
import { openApiDocument } from '#libs/serve/contract/documents/openapi-document.js';
import { AdminErrorBody } from '#libs/serve/contract/rest/admin-body.js';
import { HealthBody } from '#libs/serve/contract/rest/health-body.js';
import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import { Answer } from '#libs/serve/http/answer.js';
import { declarationOf, type RouteHandler, routeOf } from '#libs/serve/http/declared-route.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
import { yamlDocument } from '#libs/serve/http/yaml-document.js';
import { commonErrors } from '../access/api-errors.js';
import {
  AdminUsageRoute,
  ChangeAccountRoute,
  CreateAccountRoute,
  GrantRoute,
  ListAccountsRoute,
  ListGrantsRoute,
  ShowAccountRoute,
} from './account-routes.js';
import { wrongAdminKey } from './admin-errors.js';
import { CreateKeyRoute, ListKeysRoute, RevokeKeyRoute, RotateKeyRoute } from './key-routes.js';
import { ListPlansRoute, SetPlanRoute } from './plan-routes.js';

/** The routes of the admin API, besides the two that ask for no key. */
export const adminRoutes = [
  ...[ListAccountsRoute, CreateAccountRoute, ShowAccountRoute, ChangeAccountRoute],
  ...[ListGrantsRoute, GrantRoute, AdminUsageRoute, ListPlansRoute, SetPlanRoute],
  ...[ListKeysRoute, CreateKeyRoute, RotateKeyRoute, RevokeKeyRoute],
] as unknown as readonly Type<RouteHandler>[];

const open = { method: 'GET', errors: [], access: 'open', cost: 'free', cache: 'tagged' } as const;

const health = declareRoute({
  ...{ ...open, id: 'getHealth', path: '/health', summary: 'Liveness', answer: HealthBody },
});

const document = declareRoute({
  ...{ ...open, id: 'getDocument', path: '/openapi.yaml', summary: 'This document' },
  answer: {
    mediaType: 'application/yaml',
    description: 'OpenAPI 3.1, YAML.',
    example: { openapi: '3.1.0', info: { title: 'Tidepool admin API', version: '1.0.0' }, paths: {} },
  },
});

/** The OpenAPI 3.1 document of the admin API, as YAML, made from the declarations of its routes. */
export const adminDocument = (): string =>
  openApiDocument({
    title: 'Tidepool admin API',
    tag: 'admin',
    description:
      'Accounts, plans, keys, grants and usage, for operators. There only where `TIDEPOOL_ADMIN_KEY` is set; every request carries that key as `x-api-key` or `Authorization: Bearer`, never in the address. Changes hold at once in the process that made them and within a quarter of a second in all others. Bodies are JSON; a field that is not known is refused.',
    servers: ['/'],
    routes: [...adminRoutes.map(declarationOf), health, document],
    errors: commonErrors,
    keyErrors: [wrongAdminKey],
    bodyErrors: [],
    errorBody: AdminErrorBody,
  });

export function adminOpenRoutes(version: string): HttpRoute[] {
  const alive = Answer.json({ status: 'ok', version });
  return [routeOf(health, () => alive), routeOf(document, yamlDocument(adminDocument))];
}
