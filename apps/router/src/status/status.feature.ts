import { RouteFeature } from '#libs/serve/http/route-feature.js';
import { HealthRoute } from './health.route.js';
import { ReadyRoute } from './ready.route.js';

@RouteFeature({ routes: [HealthRoute, ReadyRoute] })
export class StatusFeature {}
