import { join } from 'node:path';
import { Global, Module, type Provider } from '@nestjs/common';
import { EventLogModule } from '#libs/app/modules/backends.module.js';
import type { Clock } from '#libs/app/modules/clock.js';
import { Resources } from '#libs/app/modules/resources.js';
import { CLOCK, CONFIG, EVENT_LOG, LOGGER } from '#libs/app/modules/tokens.js';
import { routedEvmChains, servedChains } from '#libs/chain/catalogue/catalogue.js';
import { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { SafetyBook } from '#libs/pipeline/safety/safety-book.js';
import type { Config } from '#libs/platform/config.js';
import type { Logger } from '#libs/platform/logger.js';
import type { BookMemory } from '#libs/routing/pools/pool-book.js';
import { PoolSpillStore } from '#libs/routing/pools/pool-spill-store.js';
import { EvmChains } from './evm/evm-chains.js';
import { poolToken } from './evm/native-coin.js';
import type { HeldQuotes } from './held/held-quotes.js';
import { openHeldQuotes } from './held/open-held-quotes.js';
import { type OpenLaunch, openLaunch } from './launch/open-launch.js';
import { createReceiptKeeper, type ReceiptKeeper } from './receipts/receipt-keeper.js';
import { BundleRelay } from './relay/bundle-relay.js';
import { SolanaRow } from './solana/solana-row.js';
import { EVM_CHAINS, HELD_QUOTES, LAUNCH, RECEIPTS, SOLANA_CHAIN, TOKEN_SAFETIES } from './tokens.js';
import { SolanaUtilities } from './utilities/solana-utilities.js';

/** In the configured Redis, where several routers share them, or else in this process. */
const held: Provider = {
  provide: HELD_QUOTES,
  inject: [CONFIG, LOGGER, Resources],
  useFactory: async (config: Config, logger: Logger, resources: Resources): Promise<HeldQuotes> => {
    const opened = await openHeldQuotes(config.redisUrl, logger);
    return resources.opened('held quotes', opened, () => opened.close()).quotes;
  },
};

/** The addresses of local chains are added once these are made. */
const launch: Provider = {
  provide: LAUNCH,
  inject: [CONFIG, EVENT_LOG, LOGGER, CLOCK, Resources],
  useFactory: async (
    config: Config,
    log: EventLog,
    logger: Logger,
    now: Clock,
    resources: Resources,
  ): Promise<OpenLaunch> => {
    const { redisUrl, publicRouterUrl: publicUrl } = config;
    const opened = await openLaunch({ log, logger, redisUrl, publicUrl, now });
    return resources.opened('launches', opened, () => opened.close());
  },
};

const solanaSpec = () => servedChains().find(({ family }) => family === 'solana')!;

const receipts: Provider = {
  provide: RECEIPTS,
  inject: [EVENT_LOG, LOGGER],
  useFactory: (log: EventLog, logger: Logger) =>
    createReceiptKeeper({ log, chains: [...routedEvmChains(), solanaSpec()], poolToken, logger }),
};

/** The router keeps the pools that it needs in memory, and the others in unnamed files on the file system of the data folder. */
const bookMemory =
  ({ dataDir, routerPools }: Config) =>
  ({ wrappedNative, stables }: ChainSpec): BookMemory => ({
    pools: routerPools,
    leading: [wrappedNative, ...stables].map(({ token }) => token),
    openShelf: () => PoolSpillStore.open(join(dataDir, 'shelves')),
  });

/** Of the topic only what quotes show. */
const safeties: Provider = {
  provide: TOKEN_SAFETIES,
  inject: [EVENT_LOG],
  useFactory: (log: EventLog) => new SafetyBook({ log, records: false }, 'router'),
};

/** Lists every chain that can be routed and opens none: a chain opens when its node is known. */
const evmChains: Provider = {
  provide: EvmChains,
  inject: [CONFIG, EVENT_LOG, LOGGER, RECEIPTS, Resources, NodePools, TOKEN_SAFETIES],
  useFactory: (
    config: Config,
    log: EventLog,
    logger: Logger,
    keeper: ReceiptKeeper,
    resources: Resources,
    nodePools: NodePools,
    found: SafetyBook,
  ) => {
    const chains = new EvmChains({
      ...{
        specs: routedEvmChains(),
        log,
        logger,
        nodePools,
        disabledVenues: config.disabledVenues,
        bookMemory: bookMemory(config),
      },
      onFacts: (chain, facts) => keeper.onFacts(chain, facts),
      safeties: found,
    });
    return resources.opened('router chains', chains, (opened) => opened.close());
  },
};

/** Lists Solana and does not open it yet either. */
const solanaRow: Provider = {
  provide: SolanaRow,
  inject: [CONFIG, EVENT_LOG, LOGGER, RECEIPTS, Resources, NodePools],
  useFactory: (
    config: Config,
    log: EventLog,
    logger: Logger,
    keeper: ReceiptKeeper,
    resources: Resources,
    nodePools: NodePools,
  ) => {
    const spec = solanaSpec();
    const row = new SolanaRow({
      ...{ spec, log, logger, nodePools, disabledVenues: config.disabledVenues, swapProgram: config.swapProgram },
      bookMemory: bookMemory(config)(spec),
      onFacts: (facts) => keeper.onFacts(spec.slug, facts),
    });
    return resources.opened('router of Solana', row, (opened) => opened.close());
  },
};

/** Opens when its node is known. */
const relay: Provider = {
  provide: BundleRelay,
  inject: [CONFIG, LOGGER, SolanaRow, Resources, NodePools],
  useFactory: (config: Config, logger: Logger, { spec }: SolanaRow, resources: Resources, nodePools: NodePools) => {
    const made = new BundleRelay(spec.slug, config.relay.tipLamports, logger, nodePools);
    return resources.opened('bundle relay', made, (opened) => opened.close());
  },
};

const utilities: Provider = {
  provide: SolanaUtilities,
  inject: [CONFIG, LOGGER, SolanaRow, BundleRelay, Resources, NodePools],
  useFactory: (
    config: Config,
    logger: Logger,
    row: SolanaRow,
    tips: BundleRelay,
    resources: Resources,
    nodePools: NodePools,
  ) => {
    const { consolidateFeeWallet: wallet } = config;
    const feeWallet = wallet === null ? null : solanaIds.parseAddress(wallet);
    const made = new SolanaUtilities(row, tips, feeWallet, logger, nodePools);
    return resources.opened('Solana utilities', made, (opened) => opened.close());
  },
};

const providers: Provider[] = [
  ...[held, receipts, launch, safeties, evmChains, solanaRow, relay, utilities],
  { provide: EVM_CHAINS, inject: [EvmChains], useFactory: ({ chains }: EvmChains) => chains },
  { provide: SOLANA_CHAIN, useExisting: SolanaRow },
];

/** What a router has from its start to its end: held quotes, receipts, the services of each chain. */
@Global()
@Module({ imports: [EventLogModule], providers, exports: providers })
export class RouterStateModule {}
