import { RouteFeature } from '#libs/http/route-feature.js';
import { HealthRoute } from './health.route.js';
import { ReadyRoute } from './ready.route.js';

@RouteFeature({ routes: [HealthRoute, ReadyRoute] })
export class StatusFeature {}
