import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type Provider,
} from '@nestjs/common';
import { AccountsModule } from '#libs/app/modules/accounts.module.js';
import type { ChainEndpoints } from '#libs/app/modules/chain-endpoints.js';
import type { Clock } from '#libs/app/modules/clock.js';
import { Stages } from '#libs/app/modules/stages.js';
import { StatusSections } from '#libs/app/modules/status-sections.js';
import { ACCOUNTS, CHAIN_ENDPOINTS, CLOCK } from '#libs/app/modules/tokens.js';
import { listenError } from '#libs/platform/listen-error.js';
import { Runtime } from '#libs/platform/runtime.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { EvmChains } from './evm/evm-chains.js';
import type { HeldQuotes } from './held/held-quotes.js';
import type { OpenLaunch } from './launch/open-launch.js';
import type { ReceiptKeeper } from './receipts/receipt-keeper.js';
import { BundleRelay } from './relay/bundle-relay.js';
import { openRelay, relayOfProcess } from './relay/relay-start.js';
import { ROUTER_DEPS, type RouterDeps } from './router-deps.js';
import { LAUNCHES, QUOTE_STORE, RECEIPT_KEEPER, RouterStateModule } from './router-state.module.js';
import { RoutesModule } from './routes.module.js';
import { SolanaRow } from './solana/solana-row.js';
import { SolanaUtilities } from './utilities/solana-utilities.js';
import { utilitiesOfProcess } from './utilities/utilities-start.js';

/** The parts of the process as the routes take them. */
const routerDeps: Provider<RouterDeps> = {
  provide: ROUTER_DEPS,
  inject: [Runtime, ACCOUNTS, EvmChains, SolanaRow, QUOTE_STORE, RECEIPT_KEEPER, LAUNCHES, CLOCK],
  useFactory: (
    { config, logger, version }: Runtime,
    accounts: Accounts | null,
    { chains }: EvmChains,
    solana: SolanaRow,
    held: HeldQuotes,
    receipts: ReceiptKeeper,
    launch: OpenLaunch,
    now: Clock,
  ): RouterDeps => {
    const { base } = config.listeners;
    const explain = (error: unknown) => listenError(error, base);
    return {
      ...{ accounts, logger, version, chains, solana, held, receipts, launch, now },
      config: { bind: base.host, port: base.port, trustProxy: config.trustProxy, explain },
    };
  },
};

/** Opens each chain's services once its node is known; the application does not wait for them. */
@Injectable()
class RouterStart implements OnApplicationBootstrap {
  constructor(
    @Inject(Runtime) private readonly runtime: Runtime,
    @Inject(Stages) private readonly stages: Stages,
    @Inject(StatusSections) private readonly sections: StatusSections,
    @Inject(CHAIN_ENDPOINTS) private readonly endpoints: ChainEndpoints,
    @Inject(EvmChains) private readonly evm: EvmChains,
    @Inject(SolanaRow) private readonly solana: SolanaRow,
    @Inject(RECEIPT_KEEPER) private readonly keeper: ReceiptKeeper,
    @Inject(LAUNCHES) private readonly launches: OpenLaunch,
    @Inject(BundleRelay) private readonly relay: BundleRelay,
    @Inject(SolanaUtilities) private readonly utilities: SolanaUtilities,
  ) {}

  onApplicationBootstrap(): void {
    const { evm, keeper, solana } = this;
    const chains = () => ({ ...evm.status(), ...solana.status() });
    this.sections.add('router', () => ({ chains: chains(), receipts: keeper.status() }));
    this.stages.start(keeper);
    for (const { slug, local, rpcUrls } of this.runtime.config.chains) {
      if (!evm.has(slug) && slug !== solana.spec.slug) continue;
      if (local) this.explain(slug, 'its local chain is not made yet');
      else if (rpcUrls.length === 0) continue;
      void this.endpoints.of(slug).then((node) => {
        if (node.demoRpcUrl !== null) this.launches.localNodes.set(slug, node.demoRpcUrl);
        if (slug === solana.spec.slug) {
          openRelay(this.relay, this.runtime.config.relay, node);
          this.utilities.open(node.rpcUrls);
        }
        for (const stage of evm.has(slug) ? evm.open(slug, node) : solana.open(node)) this.stages.start(stage);
      });
    }
  }

  private explain(slug: string, absence: string): void {
    if (this.evm.has(slug)) this.evm.explain(slug, absence);
    else {
      this.solana.absence = absence;
      this.relay.absence = absence;
    }
  }
}

/** The router of a process: what it keeps, and its routes over that. */
@Module({})
export class RouterModule {
  static of(): DynamicModule {
    const routes = RoutesModule.from(routerDeps);
    const relay = relayOfProcess();
    const utilities = utilitiesOfProcess(relay);
    return {
      module: RouterModule,
      imports: [AccountsModule, RouterStateModule, routes, relay, utilities],
      providers: [RouterStart],
      exports: [routes, relay, utilities],
    };
  }
}
