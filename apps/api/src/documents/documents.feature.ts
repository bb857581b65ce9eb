import { Feature } from '../feature/feature.js';
import { OpenApiRoute } from './openapi.route.js';

/** What describes the api: open, made from the declarations. */
@Feature({ routes: [OpenApiRoute] })
export class DocumentsFeature {}
