import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import type { Accounts } from '#libs/accounts/account.js';
import { AccountsModule } from '#libs/app/accounts.module.js';
import { EventLogModule } from '#libs/app/backends.module.js';
import type { ChainEndpoints } from '#libs/app/chain-endpoints.js';
import type { Clock } from '#libs/app/clock.js';
import { Resources } from '#libs/app/resources.js';
import { Stages } from '#libs/app/stages.js';
import { StatusSections } from '#libs/app/status-sections.js';
import { ACCOUNTS, CHAIN_ENDPOINTS, CLOCK, EVENT_LOG, LOGGER } from '#libs/app/tokens.js';
import { servedChains } from '#libs/catalogue/catalogue.js';
import type { EventLog } from '#libs/event-log/log.js';
import { listenError } from '#libs/platform/listen-error.js';
import type { Logger } from '#libs/platform/logger.js';
import { Runtime } from '#libs/platform/runtime.js';
import { createRouter, type RunningRouter } from './create-router.js';
import { EvmChains } from './evm/evm-chains.js';
import { poolToken } from './evm/native-coin.js';
import { evmReceipts } from './evm/receipts/evm-receipts.js';
import { receiptRoutes } from './evm/receipts/receipt-routes.js';
import type { HeldQuotes } from './held/held-quotes.js';
import { openHeldQuotes } from './held/open-held-quotes.js';
import { createReceiptKeeper, type ReceiptKeeper } from './receipts/receipt-keeper.js';

/** Quotes that wait for their build, where several routers may share them. */
const HELD_QUOTES = Symbol('held quotes');
const RECEIPTS = Symbol('keeper of receipts');

const held: Provider = {
  provide: HELD_QUOTES,
  inject: [Runtime, LOGGER, Resources],
  useFactory: ({ config }: Runtime, logger: Logger, resources: Resources): HeldQuotes =>
    resources.opened('held quotes', openHeldQuotes(config.redisUrl, logger), (opened) => opened.close()).quotes,
};

const evmSpecs = () => servedChains().filter(({ family }) => family === 'evm');

const receipts: Provider = {
  provide: RECEIPTS,
  inject: [EVENT_LOG, LOGGER],
  useFactory: (log: EventLog, logger: Logger) => createReceiptKeeper({ log, chains: evmSpecs(), poolToken, logger }),
};

/** Every chain is listed and none open yet: a chain opens when its node is known. */
const evmChains: Provider = {
  provide: EvmChains,
  inject: [Runtime, EVENT_LOG, LOGGER, RECEIPTS, Resources],
  useFactory: ({ config }: Runtime, log: EventLog, logger: Logger, keeper: ReceiptKeeper, resources: Resources) => {
    const chains = new EvmChains({
      ...{ specs: evmSpecs(), log, logger, disabledVenues: config.disabledVenues },
      onFacts: (chain, facts) => keeper.onFacts(chain, facts),
    });
    return resources.opened('router chains', chains, (opened) => opened.close());
  },
};

/** The base listener, open before the stages start and closed before they end. */
@Injectable()
export class RouterListener implements OnModuleInit, OnModuleDestroy {
  private router: RunningRouter | null = null;

  constructor(
    @Inject(Runtime) private readonly runtime: Runtime,
    @Inject(ACCOUNTS) private readonly accounts: Accounts,
    @Inject(EvmChains) private readonly evm: EvmChains,
    @Inject(HELD_QUOTES) private readonly heldQuotes: HeldQuotes,
    @Inject(RECEIPTS) private readonly keeper: ReceiptKeeper,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** null before it is open. */
  get url(): string | null {
    return this.router?.url ?? null;
  }

  async onModuleInit(): Promise<void> {
    const { config, logger, version } = this.runtime;
    const { host, port } = config.listeners.base;
    this.router = await createRouter({
      ...{ accounts: this.accounts, logger, version, now: this.clock },
      ...{ chains: this.evm.chains, held: this.heldQuotes, receipts: evmReceipts(this.keeper) },
      routes: receiptRoutes(this.keeper),
      config: { bind: host, port, trustProxy: config.trustProxy },
    }).catch((error: unknown) => {
      throw listenError(error, config.listeners.base);
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.router?.close();
  }
}

/** Opens each chain's services once its node is known; the application does not wait for them. */
@Injectable()
class RouterStart implements OnApplicationBootstrap {
  constructor(
    @Inject(Runtime) private readonly runtime: Runtime,
    @Inject(Stages) private readonly stages: Stages,
    @Inject(StatusSections) private readonly sections: StatusSections,
    @Inject(CHAIN_ENDPOINTS) private readonly endpoints: ChainEndpoints,
    @Inject(EvmChains) private readonly evm: EvmChains,
    @Inject(RECEIPTS) private readonly keeper: ReceiptKeeper,
  ) {}

  onApplicationBootstrap(): void {
    this.sections.add('router', () => ({ chains: this.evm.status(), receipts: this.keeper.status() }));
    this.stages.start(this.keeper);
    for (const { slug, local, rpcUrls } of this.runtime.config.chains) {
      if (!this.evm.has(slug)) continue;
      if (local) this.evm.explain(slug, 'its local chain is not made yet');
      else if (rpcUrls.length === 0) continue;
      void this.endpoints.of(slug).then((node) => {
        for (const stage of this.evm.open(slug, node)) this.stages.start(stage);
      });
    }
  }
}

/** The router of a process: held quotes, receipts, the services of each chain, the base listener. */
@Module({})
export class RouterModule {
  static of(): DynamicModule {
    return {
      module: RouterModule,
      imports: [EventLogModule, AccountsModule],
      providers: [held, receipts, evmChains, RouterListener, RouterStart],
      exports: [RouterListener],
    };
  }
}
