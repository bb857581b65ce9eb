import { RouteFeature } from '#libs/serve/http/route-feature.js';
import { ProgramLabelsRoute } from './program-labels.route.js';
import { SolanaVenuesRoute } from './venues.route.js';

@RouteFeature({ routes: [SolanaVenuesRoute, ProgramLabelsRoute] })
export class SolanaVenuesFeature {}
