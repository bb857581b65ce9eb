import { type DynamicModule, Global, Inject, Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { EventLogModule, StoreModule } from '#libs/app/modules/backends.module.js';
import type { Clock } from '#libs/app/modules/clock.js';
import { DiskGuardModule } from '#libs/app/modules/disk-guard.module.js';
import { OperationsModule } from '#libs/app/modules/operations.module.js';
import { Stages } from '#libs/app/modules/stages.js';
import { StatusSections } from '#libs/app/modules/status-sections.js';
import { CLOCK, EVENT_LOG, STORE } from '#libs/app/modules/tokens.js';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { ReceiptTable } from '#libs/pipeline/store/receipts/receipt-table.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { UsageTable } from '#libs/pipeline/store/usage/usage-table.js';
import { pause } from '#libs/platform/backoff.js';
import type { Config } from '#libs/platform/config.js';
import { Runtime } from '#libs/platform/runtime.js';
import { UsageRollup } from '#libs/serve/accounts/usage-rollup.js';
import { ChainIngestModule } from './chain-ingest.module.js';
import { IngestChains } from './ingest-chains.js';
import { addIngestMetrics } from './ingest-metrics.js';
import { ReceiptsStage } from './receipts/receipts-stage.js';
import { UsageTableStage } from './usage/usage-table-stage.js';

/** What the chains have in common, ahead of their modules. */
@Global()
@Module({ providers: [IngestChains], exports: [IngestChains] })
class IngestChainsModule {}

const receipts = {
  provide: ReceiptsStage,
  inject: [EVENT_LOG, STORE],
  useFactory: (log: EventLog, store: AnalyticsStore) => new ReceiptsStage({ log, table: new ReceiptTable(store) }),
};

const usageTable = {
  provide: UsageTableStage,
  inject: [EVENT_LOG, STORE, Runtime],
  useFactory: (log: EventLog, store: AnalyticsStore, { logger }: Runtime) =>
    new UsageTableStage({ log, table: new UsageTable(store), logger }),
};

const usageRollup = {
  provide: UsageRollup,
  inject: [EVENT_LOG, CLOCK],
  useFactory: (log: EventLog, now: Clock) => new UsageRollup({ log, now, pause }),
};

@Injectable()
class IngestStart implements OnApplicationBootstrap {
  constructor(
    @Inject(Runtime) private readonly runtime: Runtime,
    @Inject(Stages) private readonly stages: Stages,
    @Inject(StatusSections) private readonly sections: StatusSections,
    @Inject(IngestChains) private readonly chains: IngestChains,
    @Inject(ReceiptsStage) private readonly receiptsStage: ReceiptsStage,
    @Inject(UsageTableStage) private readonly usageStage: UsageTableStage,
    @Inject(UsageRollup) private readonly rollup: UsageRollup,
  ) {}

  onApplicationBootstrap(): void {
    this.sections.add('chains', () => this.chains.status());
    this.runtime.health.tell('chains', () => this.chains.roles());
    addIngestMetrics(this.runtime.metrics, () => this.chains.status());
    for (const stage of [this.receiptsStage, this.usageStage, this.rollup]) this.stages.start(stage);
  }
}

/** The pipeline of every configured chain, and the tables of receipts and usage. */
@Module({})
export class IngestModule {
  static of({ chains }: Pick<Config, 'chains'>): DynamicModule {
    return {
      module: IngestModule,
      imports: [
        ...[EventLogModule, StoreModule, DiskGuardModule, OperationsModule, IngestChainsModule],
        ...chains.map(({ slug }) => ChainIngestModule.of(chainSpec(slug)!)),
      ],
      providers: [receipts, usageTable, usageRollup, IngestStart],
    };
  }
}
