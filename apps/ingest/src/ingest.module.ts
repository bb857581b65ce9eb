import { type DynamicModule, Global, Inject, Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { EventLogModule, StoreModule } from '#libs/app/backends.module.js';
import { DiskGuardModule } from '#libs/app/disk-guard.module.js';
import { OperationsModule } from '#libs/app/operations.module.js';
import { Stages } from '#libs/app/stages.js';
import { StatusSections } from '#libs/app/status-sections.js';
import { EVENT_LOG, STORE } from '#libs/app/tokens.js';
import { chainSpec } from '#libs/catalogue/catalogue.js';
import type { EventLog } from '#libs/event-log/log.js';
import type { Config } from '#libs/platform/config.js';
import { Runtime } from '#libs/platform/runtime.js';
import { ReceiptTable } from '#libs/store/receipts/receipt-table.js';
import type { AnalyticsStore } from '#libs/store/store.js';
import { ChainIngestModule } from './chain-ingest.module.js';
import { IngestChains } from './ingest-chains.js';
import { addIngestMetrics } from './ingest-metrics.js';
import { ReceiptsStage } from './receipts/receipts-stage.js';

/** What the chains have in common, ahead of their modules. */
@Global()
@Module({ providers: [IngestChains], exports: [IngestChains] })
class IngestChainsModule {}

const receipts = {
  provide: ReceiptsStage,
  inject: [EVENT_LOG, STORE],
  useFactory: (log: EventLog, store: AnalyticsStore) => new ReceiptsStage({ log, table: new ReceiptTable(store) }),
};

@Injectable()
class IngestStart implements OnApplicationBootstrap {
  constructor(
    @Inject(Runtime) private readonly runtime: Runtime,
    @Inject(Stages) private readonly stages: Stages,
    @Inject(StatusSections) private readonly sections: StatusSections,
    @Inject(IngestChains) private readonly chains: IngestChains,
    @Inject(ReceiptsStage) private readonly receiptsStage: ReceiptsStage,
  ) {}

  onApplicationBootstrap(): void {
    this.sections.add('chains', () => this.chains.status());
    addIngestMetrics(this.runtime.metrics, () => this.chains.status());
    this.stages.start(this.receiptsStage);
  }
}

/** The pipeline of every configured chain, and the table of receipts. */
@Module({})
export class IngestModule {
  static of({ chains }: Pick<Config, 'chains'>): DynamicModule {
    return {
      module: IngestModule,
      imports: [
        ...[EventLogModule, StoreModule, DiskGuardModule, OperationsModule, IngestChainsModule],
        ...chains.map(({ slug }) => ChainIngestModule.of(chainSpec(slug)!)),
      ],
      providers: [receipts, IngestStart],
    };
  }
}
