import { join } from 'node:path';
import { Global, Module, type Provider } from '@nestjs/common';
import { EventLogModule } from '#libs/app/modules/backends.module.js';
import type { Clock } from '#libs/app/modules/clock.js';
import { Resources } from '#libs/app/modules/resources.js';
import { CLOCK, EVENT_LOG, LOGGER } from '#libs/app/modules/tokens.js';
import { routedEvmChains, servedChains } from '#libs/chain/catalogue/catalogue.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { Config } from '#libs/platform/config.js';
import type { Logger } from '#libs/platform/logger.js';
import { Runtime } from '#libs/platform/runtime.js';
import type { BookMemory } from '#libs/routing/pools/pool-book.js';
import { PoolSpillStore } from '#libs/routing/pools/pool-spill-store.js';
import { EvmChains } from './evm/evm-chains.js';
import { poolToken } from './evm/native-coin.js';
import type { HeldQuotes } from './held/held-quotes.js';
import { openHeldQuotes } from './held/open-held-quotes.js';
import { type OpenLaunch, openLaunch } from './launch/open-launch.js';
import { createReceiptKeeper, type ReceiptKeeper } from './receipts/receipt-keeper.js';
import { SolanaRow } from './solana/solana-row.js';

/** Quotes that wait for their build, where several routers may share them. */
export const QUOTE_STORE = Symbol('store of held quotes');
export const RECEIPT_KEEPER = Symbol('keeper of receipts');
/** What creates are made with; where local chains are is added once they are made. */
export const LAUNCHES = Symbol('launches of the process');

const held: Provider = {
  provide: QUOTE_STORE,
  inject: [Runtime, LOGGER, Resources],
  useFactory: async ({ config }: Runtime, logger: Logger, resources: Resources): Promise<HeldQuotes> => {
    const opened = await openHeldQuotes(config.redisUrl, logger);
    return resources.opened('held quotes', opened, () => opened.close()).quotes;
  },
};

const launches: Provider = {
  provide: LAUNCHES,
  inject: [Runtime, EVENT_LOG, LOGGER, CLOCK, Resources],
  useFactory: async (
    { config }: Runtime,
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
  provide: RECEIPT_KEEPER,
  inject: [EVENT_LOG, LOGGER],
  useFactory: (log: EventLog, logger: Logger) =>
    createReceiptKeeper({ log, chains: [...routedEvmChains(), solanaSpec()], poolToken, logger }),
};

/** Pools that a router does not need in memory wait in files without a name, in the data folder's file system. */
const bookMemory =
  ({ dataDir, routerPools }: Config) =>
  ({ wrappedNative, stables }: ChainSpec): BookMemory => ({
    pools: routerPools,
    leading: [wrappedNative, ...stables].map(({ token }) => token),
    openShelf: () => PoolSpillStore.open(join(dataDir, 'shelves')),
  });

/** Every chain that can be routed is listed and none open yet: a chain opens when its node is known. */
const evmChains: Provider = {
  provide: EvmChains,
  inject: [Runtime, EVENT_LOG, LOGGER, RECEIPT_KEEPER, Resources],
  useFactory: ({ config }: Runtime, log: EventLog, logger: Logger, keeper: ReceiptKeeper, resources: Resources) => {
    const chains = new EvmChains({
      ...{
        specs: routedEvmChains(),
        log,
        logger,
        disabledVenues: config.disabledVenues,
        bookMemory: bookMemory(config),
      },
      onFacts: (chain, facts) => keeper.onFacts(chain, facts),
    });
    return resources.opened('router chains', chains, (opened) => opened.close());
  },
};

/** Listed and not open yet, like the others. */
const solanaRow: Provider = {
  provide: SolanaRow,
  inject: [Runtime, EVENT_LOG, LOGGER, RECEIPT_KEEPER, Resources],
  useFactory: ({ config }: Runtime, log: EventLog, logger: Logger, keeper: ReceiptKeeper, resources: Resources) => {
    const spec = solanaSpec();
    const row = new SolanaRow({
      ...{ spec, log, logger, disabledVenues: config.disabledVenues, swapProgram: config.swapProgram },
      bookMemory: bookMemory(config)(spec),
      onFacts: (facts) => keeper.onFacts(spec.slug, facts),
    });
    return resources.opened('router of Solana', row, (opened) => opened.close());
  },
};

/** What a router has from its start to its end: held quotes, receipts, the services of each chain. */
@Global()
@Module({
  imports: [EventLogModule],
  providers: [held, receipts, launches, evmChains, solanaRow],
  exports: [QUOTE_STORE, RECEIPT_KEEPER, LAUNCHES, EvmChains, SolanaRow],
})
export class RouterStateModule {}
