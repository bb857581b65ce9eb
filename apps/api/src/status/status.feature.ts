import { EVENT_LOG, LOGGER, VERSION } from '#libs/app/modules/tokens.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import { healthRoute } from '#libs/serve/http/open-routes.js';
import type { StatusLog } from '../access/api-parts.js';
import { Feature } from '../feature/feature.js';
import { ChainsRoute } from './chains.route.js';
import { IngestFollower } from './ingest-follower.js';
import { ReadyRoute } from './ready.route.js';
import { StatusRoute } from './status.route.js';

export const HealthRoute = healthRoute('getHealth', '/health', VERSION);

const follower = {
  provide: IngestFollower,
  inject: [EVENT_LOG, LOGGER],
  useFactory: (log: StatusLog, logger: HttpLogger) => new IngestFollower(log, logger),
};

@Feature({ routes: [HealthRoute, ReadyRoute, ChainsRoute, StatusRoute], providers: [follower] })
export class StatusFeature {}
