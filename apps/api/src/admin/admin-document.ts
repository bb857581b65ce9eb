import { declareDocument, declareHealth } from '#libs/serve/contract/common-routes.js';
import { openApiDocument } from '#libs/serve/contract/documents/openapi-document.js';
import { commonErrors } from '#libs/serve/contract/listener-errors.js';
import { AdminErrorBody } from '#libs/serve/contract/rest/admin-body.js';
import { Answer } from '#libs/serve/http/answer.js';
import { routeOf } from '#libs/serve/http/declared-route.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
import { yamlDocument } from '#libs/serve/http/yaml-document.js';
import { accountRoutes } from './account-routes.js';
import { wrongAdminKey } from './admin-errors.js';
import type { AdminRoute } from './admin-route.js';
import { keyRoutes } from './key-routes.js';
import { planRoutes } from './plan-routes.js';

const TITLE = 'Tidepool admin API';

/** The routes of the admin API, in addition to the two that ask for no key. */
export const adminRoutes: readonly AdminRoute[] = [...accountRoutes, ...planRoutes, ...keyRoutes];

const health = declareHealth('getHealth', '/health');
const document = declareDocument('getDocument', TITLE);

/** The OpenAPI 3.1 document of the admin API, as YAML, made from the declarations of its routes. */
export const adminDocument = (): string =>
  openApiDocument({
    title: TITLE,
    tag: 'admin',
    description:
      'Accounts, plans, keys, grants and usage, for operators. There only where `TIDEPOOL_ADMIN_KEY` is set; every request carries that key as `x-api-key` or `Authorization: Bearer`, never in the address. Changes hold at once in the process that made them and within a quarter of a second in all others. Bodies are JSON; a field that is not known is refused.',
    servers: ['/'],
    routes: [...adminRoutes.map(({ declaration }) => declaration), health, document],
    errors: commonErrors,
    keyErrors: [wrongAdminKey],
    bodyErrors: [],
    errorBody: AdminErrorBody,
  });

export function adminOpenRoutes(version: string): HttpRoute[] {
  const alive = Answer.json({ status: 'ok', version });
  return [routeOf(health, () => alive), routeOf(document, yamlDocument(adminDocument))];
}
