import { ACCOUNTS } from '#libs/app/modules/tokens.js';
import { documentRoute } from '#libs/serve/http/open-routes.js';
import { DECLARED_ROUTES } from '../access/api-parts.js';
import { Feature } from '../feature/feature.js';
import { apiDocument } from './api-document.js';
import { AsyncApiRoute } from './asyncapi.route.js';
import { LlmsRoute } from './llms.route.js';

const from = { routes: DECLARED_ROUTES, accounts: ACCOUNTS };
const OpenApiRoute = documentRoute('getDocument', 'Tidepool', from, apiDocument);

/** What describes the api: open, made from the declarations. */
@Feature({ routes: [OpenApiRoute, AsyncApiRoute, LlmsRoute] })
export class DocumentsFeature {}
