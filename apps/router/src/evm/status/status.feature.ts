import { RouteFeature } from '#libs/serve/http/route-feature.js';
import { EvmHealthRoute } from './health.route.js';
import { EvmReadyRoute } from './ready.route.js';

@RouteFeature({ routes: [EvmHealthRoute, EvmReadyRoute] })
export class EvmStatusFeature {}
