import { ACCOUNTS } from '#libs/app/modules/tokens.js';
import { documentRoute } from '#libs/serve/http/open-routes.js';
import { RouteFeature } from '#libs/serve/http/route-feature.js';
import { DECLARED_ROUTES } from '../tokens.js';
import { routerDocument } from './router-document.js';

const from = { routes: DECLARED_ROUTES, accounts: ACCOUNTS };

/** The OpenAPI document of the router, made from the declarations of its routes; it needs no key. */
@RouteFeature({ routes: [documentRoute('getDocument', 'Tidepool router', from, routerDocument)] })
export class DocumentsFeature {}
