import type { Prices } from '#libs/protocol/accounts/prices.js';
import { openApiDocument } from '#libs/serve/contract/documents/openapi-document.js';
import { commonErrors, keyErrors } from '#libs/serve/contract/listener-errors.js';
import { ErrorBody } from '#libs/serve/contract/rest/error-body.js';
import type { RouteDeclaration } from '#libs/serve/contract/route-declaration.js';

/** The OpenAPI 3.1 document of the JSON-RPC gateway, as YAML, made from the declarations of its routes. */
export const gatewayDocument = (routes: readonly RouteDeclaration[], prices?: Prices): string =>
  openApiDocument({
    title: 'Tidepool JSON-RPC gateway',
    tag: 'gateway',
    description:
      'Passes JSON-RPC on to the nodes of the chains, and answers DAS methods (`getAsset`, `getAssetBatch` or `getAssets`, `getAssetsByOwner`, `getAssetsByCreator`, `getAssetsByAuthority`, `getAssetsByGroup`, `searchAssets`, `getAssetSignatures`) from the data of the market-data API. The key may also stand in the query as `api_key`, `apikey` or `api-key`; a header wins. There is no WebSocket.',
    servers: ['/'],
    prices,
    routes,
    errors: commonErrors,
    keyErrors,
    bodyErrors: [],
    errorBody: ErrorBody,
  });
