import { LOGGER } from '#libs/app/modules/tokens.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import { RouteFeature } from '#libs/serve/http/route-feature.js';
import { OwnAddress } from '../own-address.js';
import { LAUNCH } from '../tokens.js';
import { ChainLaunchRoute, ChainLaunchV1Route } from './chain-launch.route.js';
import { CreateLaunchRoute, CreateLaunchV1Route } from './create-launch.route.js';
import type { LaunchDeps } from './launch-deps.js';
import { LaunchFileRoute } from './launch-file.route.js';
import { LaunchService } from './launch-service.js';
import { ListLaunchRoute, ListLaunchV1Route } from './list-launch.route.js';

const service = {
  provide: LaunchService,
  inject: [LAUNCH, OwnAddress, LOGGER],
  useFactory: (deps: LaunchDeps, own: OwnAddress, logger: HttpLogger) => new LaunchService(deps, own, logger),
};

/** Launchpads of every chain, and creates on them. */
@RouteFeature({
  routes: [
    ...[ListLaunchRoute, ChainLaunchRoute, CreateLaunchRoute, LaunchFileRoute],
    ...[ListLaunchV1Route, ChainLaunchV1Route, CreateLaunchV1Route],
  ],
  providers: [service],
})
export class LaunchFeature {}
