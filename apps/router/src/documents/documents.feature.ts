import { RouteFeature } from '#libs/serve/http/route-feature.js';
import { OpenApiRoute } from './openapi.route.js';

/** What describes the router: open, made from the declarations. */
@RouteFeature({ routes: [OpenApiRoute] })
export class DocumentsFeature {}
