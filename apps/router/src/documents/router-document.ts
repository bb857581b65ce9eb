import { routedEvmChains } from '#libs/chain/catalogue/catalogue.js';
import type { Prices } from '#libs/protocol/accounts/prices.js';
import { accountRules } from '#libs/serve/contract/documents/account-rules.js';
import { openApiDocument } from '#libs/serve/contract/documents/openapi-document.js';
import { EvmErrorBody } from '#libs/serve/contract/rest/evm/error-body.js';
import type { RouteDeclaration } from '#libs/serve/contract/route-declaration.js';
import { bodyErrors, commonErrors, routerKeyErrors } from '../http/router-errors.js';

/** The OpenAPI 3.1 document of the router, as YAML, made from the declarations of its routes. */
export const routerDocument = (routes: readonly RouteDeclaration[], prices?: Prices): string =>
  openApiDocument({
    title: 'Tidepool router',
    tag: 'router',
    description: `Quotes swaps and builds unsigned transactions; it never signs and never sends. Amounts are decimal strings in base units. Errors are \`{error, reason}\` with \`error\` one of a closed list; key errors are \`{error: {code, message}}\`. ${accountRules} A known path with another method answers 405 with \`Allow\` and an empty body.`,
    servers: ['/'],
    routes,
    prices,
    errors: commonErrors,
    keyErrors: routerKeyErrors,
    bodyErrors,
    errorBody: EvmErrorBody,
    values: { 'evm-chains': routedEvmChains().map(({ slug }) => slug) },
  });
