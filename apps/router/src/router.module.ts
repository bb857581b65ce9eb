import { Inject, Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { AccountsModule } from '#libs/app/modules/accounts.module.js';
import type { ChainEndpoints } from '#libs/app/modules/chain-endpoints.js';
import { Stages } from '#libs/app/modules/stages.js';
import { StatusSections } from '#libs/app/modules/status-sections.js';
import { CHAIN_ENDPOINTS, CONFIG } from '#libs/app/modules/tokens.js';
import type { SafetyBook } from '#libs/pipeline/safety/safety-book.js';
import type { Config } from '#libs/platform/config.js';
import { EvmChains } from './evm/evm-chains.js';
import type { OpenLaunch } from './launch/open-launch.js';
import { ListeningModule } from './listening.module.js';
import type { ReceiptKeeper } from './receipts/receipt-keeper.js';
import { BundleRelay } from './relay/bundle-relay.js';
import { openRelay } from './relay/open-relay.js';
import { RelayModule } from './relay/relay.module.js';
import { RouterStateModule } from './router-state.module.js';
import { RoutesModule } from './routes.module.js';
import { SolanaRow } from './solana/solana-row.js';
import { LAUNCH, RECEIPTS, TOKEN_SAFETIES } from './tokens.js';
import { SolanaUtilities } from './utilities/solana-utilities.js';
import { UtilitiesModule } from './utilities/utilities.module.js';

/** Opens each chain's services once its node is known; the application does not wait for them. */
@Injectable()
class RouterStart implements OnApplicationBootstrap {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(Stages) private readonly stages: Stages,
    @Inject(StatusSections) private readonly sections: StatusSections,
    @Inject(CHAIN_ENDPOINTS) private readonly endpoints: ChainEndpoints,
    @Inject(EvmChains) private readonly evm: EvmChains,
    @Inject(SolanaRow) private readonly solana: SolanaRow,
    @Inject(RECEIPTS) private readonly keeper: ReceiptKeeper,
    @Inject(TOKEN_SAFETIES) private readonly safeties: SafetyBook,
    @Inject(LAUNCH) private readonly launch: OpenLaunch,
    @Inject(BundleRelay) private readonly relay: BundleRelay,
    @Inject(SolanaUtilities) private readonly utilities: SolanaUtilities,
  ) {}

  onApplicationBootstrap(): void {
    const { evm, keeper, solana } = this;
    const chains = () => ({ ...evm.status(), ...solana.status() });
    this.sections.add('router', () => ({ chains: chains(), receipts: keeper.status() }));
    this.stages.start(keeper, this.safeties);
    for (const { slug, local, rpcUrls } of this.config.chains) {
      if (!evm.has(slug) && slug !== solana.spec.slug) continue;
      if (local) this.explain(slug, 'its local chain is not made yet');
      else if (rpcUrls.length === 0) continue;
      void this.endpoints.of(slug).then((node) => {
        if (node.demoRpcUrl !== null) this.launch.localNodes.set(slug, node.demoRpcUrl);
        if (slug === solana.spec.slug) {
          openRelay(this.relay, this.config.relay, node);
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

/** The router of a process, with its relay and utilities: what they keep, and the routes of each listener. */
@Module({
  imports: [AccountsModule, ListeningModule, RouterStateModule, RoutesModule.of(), RelayModule, UtilitiesModule],
  providers: [RouterStart],
})
export class RouterModule {}
