import { API_DEPS, type ApiDeps } from '../access/api-deps.js';
import { Feature } from '../feature/feature.js';
import { ChainsRoute } from './chains.route.js';
import { HealthRoute } from './health.route.js';
import { IngestFollower } from './ingest-follower.js';
import { ReadyRoute } from './ready.route.js';
import { StatusRoute } from './status.route.js';

const follower = {
  provide: IngestFollower,
  inject: [API_DEPS],
  useFactory: ({ log, logger }: ApiDeps) => new IngestFollower(log, logger),
};

@Feature({ routes: [HealthRoute, ReadyRoute, ChainsRoute, StatusRoute], providers: [follower] })
export class StatusFeature {}
