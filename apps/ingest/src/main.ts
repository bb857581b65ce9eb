// Room: the stages of each chain: source, project, sink, upgrade, metadata, safety. May import every library but devkit.

import { bootstrap } from '#libs/app/bootstrap.js';
import { AdminModule, AdminServer } from '#libs/app/modules/admin.module.js';
import { ConfiguredEndpointsModule } from '#libs/app/modules/endpoints.module.js';
import { configurableChains } from '#libs/chain/catalogue/catalogue.js';
import { IngestModule } from './ingest.module.js';

/** The pipeline from nodes to tables as a process of its own, over Kafka and ClickHouse. */
await bootstrap({ app: 'ingest', chains: configurableChains }, ({ config }) => ({
  imports: [ConfiguredEndpointsModule, IngestModule.of(config), AdminModule],
  started: (application, { logger }) => {
    const chains = config.chains.map(({ slug }) => slug);
    logger.info({ admin: application.get(AdminServer).url, chains }, 'ingest is running');
  },
}));
