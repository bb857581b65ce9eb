import { RouteFeature } from '#libs/serve/http/route-feature.js';
import { ChainsRoute } from './chains.route.js';
import { VenuesRoute } from './venues.route.js';

@RouteFeature({ routes: [VenuesRoute, ChainsRoute] })
export class VenuesFeature {}
