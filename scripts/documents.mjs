// Writes the committed documents from the declarations of routes, channels and variables: `npm run documents`. The specs compare the
// copies with what the declarations give, so that a difference fails.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildIfNeeded, installIfNeeded, PROJECT } from './lib/prepare.mjs';

await installIfNeeded();
await buildIfNeeded();
const load = (path) => import(join(PROJECT, 'dist', path));
const { apiDocument } = await load('apps/api/src/documents/api-document.js');
const { liveDocument } = await load('apps/api/src/documents/live-document.js');
const { declaredRoutes } = await load('libs/serve/http/route-feature.js');
const { declaredChannels } = await load('apps/api/src/feature/feature.js');
const { features } = await load('apps/api/src/features.js');
const { routerDocument } = await load('apps/router/src/documents/router-document.js');
const { features: routerFeatures } = await load('apps/router/src/features.js');
const { gatewayDocument } = await load('apps/api/src/gateway/gateway-document.js');
const { gatewayRoutes } = await load('apps/api/src/gateway/gateway-routes.js');
const { declarationOf } = await load('libs/serve/http/declared-route.js');
const { adminDocument } = await load('apps/api/src/admin/admin-document.js');
const { hostDocument } = await load('apps/router/src/hosts/host-documents.js');
const { relayHost, relayRoutes } = await load('apps/router/src/relay/relay-host.js');
const { utilitiesHost, utilitiesRoutes } = await load('apps/router/src/utilities/utilities-host.js');
const { configurationDocument } = await load('libs/platform/configuration-document.js');
const { clientTypes } = await load('libs/serve/contract/documents/client-types.js');

const routes = declaredRoutes(features);
const routerRoutes = declaredRoutes(routerFeatures);
const channels = declaredChannels(features);
const documents = {
  'docs/configuration.md': configurationDocument(),
  'docs/openapi/api.yaml': apiDocument(routes),
  'docs/asyncapi/api.yaml': liveDocument(channels),
  'libs/serve/client/generated/api.ts': await clientTypes({ name: 'Api', routes, channels }),
  'docs/openapi/gateway.yaml': gatewayDocument(gatewayRoutes.map(declarationOf)),
  'docs/openapi/accounts.yaml': adminDocument(),
  'docs/openapi/relay.yaml': hostDocument(relayHost, relayRoutes),
  'docs/openapi/utilities.yaml': hostDocument(utilitiesHost, utilitiesRoutes),
  'docs/openapi/router.yaml': routerDocument(routerRoutes),
  'libs/serve/client/generated/router.ts': await clientTypes({ name: 'Router', routes: routerRoutes }),
};
for (const [path, text] of Object.entries(documents)) {
  await mkdir(dirname(join(PROJECT, path)), { recursive: true });
  await writeFile(join(PROJECT, path), text);
  console.log(`wrote ${path}`);
}
