import { VERSION } from '#libs/app/modules/tokens.js';
import { healthRoute } from '#libs/serve/http/open-routes.js';
import { RouteFeature } from '#libs/serve/http/route-feature.js';
import { EvmReadyRoute } from './ready.route.js';

@RouteFeature({ routes: [healthRoute('getEvmHealth', '/evm/health', VERSION), EvmReadyRoute] })
export class EvmStatusFeature {}
