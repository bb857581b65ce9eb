// Room: the market-data API and its live interface, one folder a feature, the JSON-RPC gateway and the files of the
// console. May import every library but devkit.

import { bootstrap } from '#libs/app/bootstrap.js';
import { AdminModule } from '#libs/app/modules/admin.module.js';
import { ConfiguredEndpointsModule } from '#libs/app/modules/endpoints.module.js';
import { configurableChains } from '#libs/chain/catalogue/catalogue.js';
import { AdminApiListener } from './admin/admin.module.js';
import { ApiListener } from './api-listener.js';
import { GatewayListener } from './gateway/gateway-listener.js';
import { MarketDataModule } from './market-data.module.js';

/** The market-data API as a process of its own, over Kafka and ClickHouse. */
await bootstrap({ app: 'api', chains: configurableChains, exclusive: false }, ({ config }) => ({
  imports: [ConfiguredEndpointsModule, MarketDataModule.of(), AdminModule],
  started: (application, { logger }) => {
    const { url, socketsUrl } = application.get(ApiListener, { strict: false });
    const chains = config.chains.map(({ slug }) => slug);
    const { url: rpc } = application.get(GatewayListener, { strict: false });
    const { url: admin } = application.get(AdminApiListener, { strict: false });
    logger.info(
      { url, ws: socketsUrl, rpc, ...(admin === null ? {} : { accounts: admin }), chains },
      'market-data API is listening',
    );
  },
}));
