import { Feature } from '../feature/feature.js';
import { AsyncApiRoute } from './asyncapi.route.js';
import { LlmsRoute } from './llms.route.js';
import { OpenApiRoute } from './openapi.route.js';

/** What describes the api: open, made from the declarations. */
@Feature({ routes: [OpenApiRoute, AsyncApiRoute, LlmsRoute] })
export class DocumentsFeature {}
