// Room: quotes, builds, receipts and launches, the bundle relay and the Solana utilities. May import programs and every
// library but devkit.

import { bootstrap } from '#libs/app/bootstrap.js';
import { AdminModule } from '#libs/app/modules/admin.module.js';
import { ConfiguredEndpointsModule } from '#libs/app/modules/endpoints.module.js';
import { configurableChains } from '#libs/chain/catalogue/catalogue.js';
import { RelayListener } from './relay/relay.module.js';
import { RouterModule } from './router.module.js';
import { RouterListener } from './router-listener.js';
import { UtilitiesListener } from './utilities/utilities.module.js';

/** The router as a process of its own, over the log that ingest writes. */
await bootstrap({ app: 'router', chains: configurableChains, exclusive: false }, () => ({
  imports: [ConfiguredEndpointsModule, RouterModule, AdminModule],
  started: (application, { logger }) => {
    const { url } = application.get(RouterListener, { strict: false });
    const { url: relay } = application.get(RelayListener, { strict: false });
    const { url: sol } = application.get(UtilitiesListener, { strict: false });
    logger.info({ url, sol, relay }, 'router is listening');
  },
}));
