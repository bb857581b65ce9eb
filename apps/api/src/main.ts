import { AdminModule } from '#libs/app/admin.module.js';
import { bootstrap } from '#libs/app/bootstrap.js';
import { configurableChains } from '#libs/catalogue/catalogue.js';
import { ApiListener } from './api-listener.js';
import { MarketDataModule } from './market-data.module.js';

/** The market-data API as a process of its own, over Kafka and ClickHouse. */
await bootstrap({ app: 'api', chains: configurableChains, exclusive: false }, ({ config }) => ({
  imports: [MarketDataModule.of(), AdminModule],
  started: (application, { logger }) => {
    const { url, socketsUrl } = application.get(ApiListener, { strict: false });
    const chains = config.chains.map(({ slug }) => slug);
    logger.info({ url, ws: socketsUrl, chains }, 'market-data API is listening');
  },
}));
