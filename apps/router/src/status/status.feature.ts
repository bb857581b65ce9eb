import { VERSION } from '#libs/app/modules/tokens.js';
import { healthRoute } from '#libs/serve/http/open-routes.js';
import { RouteFeature } from '#libs/serve/http/route-feature.js';
import { ReadyRoute } from './ready.route.js';

export const HealthRoute = healthRoute('getHealth', '/health', VERSION);

@RouteFeature({ routes: [HealthRoute, ReadyRoute] })
export class StatusFeature {}
