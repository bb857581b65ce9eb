import { Global, Module, type Provider } from '@nestjs/common';
import { EventLogModule, StoreModule } from '#libs/app/modules/backends.module.js';
import { Checkpoints } from '#libs/app/modules/checkpoints.js';
import { CONFIG, EVENT_LOG, LOGGER, STORE } from '#libs/app/modules/tokens.js';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { SafetyBook } from '#libs/pipeline/safety/safety-book.js';
import { type AnalyticsStore, pollMsOf } from '#libs/pipeline/store/store.js';
import type { Config } from '#libs/platform/config.js';
import type { Logger } from '#libs/platform/logger.js';
import { createChainReader } from '#libs/serve/reader/chain-reader.js';
import { hotLimits } from '#libs/serve/reader/hot/hot-states.js';
import { MetadataBook } from '#libs/serve/reader/metadata-book.js';
import { storeSource } from '#libs/serve/reader/store-source.js';
import { READERS, type Readers } from './access/api-parts.js';

/** Groups that stay in memory when the tables have them: deeper retractions are rare. */
const KEEP_GROUPS = 16;

const metadata: Provider = {
  provide: MetadataBook,
  inject: [CONFIG, EVENT_LOG],
  useFactory: ({ publicApiUrl }: Config, log: EventLog) => new MetadataBook({ log, publicUrl: publicApiUrl }),
};

const safeties: Provider = {
  provide: SafetyBook,
  inject: [EVENT_LOG],
  useFactory: (log: EventLog) => new SafetyBook({ log, records: true }, 'reader'),
};

const readers: Provider = {
  provide: READERS,
  inject: [CONFIG, EVENT_LOG, STORE, LOGGER, Checkpoints, MetadataBook, SafetyBook],
  useFactory: (
    { chains, hotBytes }: Config,
    log: EventLog,
    store: AnalyticsStore,
    logger: Logger,
    written: Checkpoints,
    book: MetadataBook,
    found: SafetyBook,
  ): Readers =>
    new Map(
      chains.map(({ slug }) => {
        const source = storeSource(store, slug);
        const reader = createChainReader({
          ...{ chain: chainSpec(slug)!, log, source, logger, pollMs: pollMsOf(store), about: book.of(slug) },
          safeties: found.of(slug),
          ...{ keepGroups: KEEP_GROUPS, hot: hotLimits(hotBytes) },
        });
        written.onWritten(slug, () => reader.checkNow());
        return [slug, reader];
      }),
    ),
};

@Global()
@Module({
  imports: [EventLogModule, StoreModule],
  providers: [metadata, safeties, readers],
  exports: [metadata, safeties, readers],
})
export class ReadersModule {}
