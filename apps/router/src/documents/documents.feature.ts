import { RouteFeature } from '#libs/serve/http/route-feature.js';
import { OpenApiRoute } from './openapi.route.js';

/** The OpenAPI document of the router, made from the declarations of its routes; it needs no key. */
@RouteFeature({ routes: [OpenApiRoute] })
export class DocumentsFeature {}
