import type { Prices } from '#libs/protocol/accounts/prices.js';
import { accountRules } from '#libs/serve/contract/documents/account-rules.js';
import { openApiDocument } from '#libs/serve/contract/documents/openapi-document.js';
import { commonErrors, keyErrors } from '#libs/serve/contract/listener-errors.js';
import { ErrorBody } from '#libs/serve/contract/rest/error-body.js';
import type { RouteDeclaration } from '#libs/serve/contract/route-declaration.js';
import { tablesAway } from '../access/api-errors.js';

/** The OpenAPI 3.1 document of the market-data API, as YAML, made from the declarations of its routes. */
export const apiDocument = (routes: readonly RouteDeclaration[], prices?: Prices): string =>
  openApiDocument({
    title: 'Tidepool market data',
    tag: 'market data',
    description: `Tokens, trades and candles. Every path also answers under \`/v1\`. Times are Unix milliseconds; unknown values are \`null\`; prices and values are JSON numbers, token amounts are decimal strings in whole tokens. A chain is named by slug, alias or id, in any case. ${accountRules} Every answer says in \`meta\` which block it was computed from.`,
    servers: ['/', '/v1'],
    routes,
    prices,
    errors: commonErrors,
    keyErrors: [...keyErrors, tablesAway],
    bodyErrors: [],
    errorBody: ErrorBody,
  });
