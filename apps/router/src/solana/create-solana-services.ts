import { solanaModule } from '#libs/chain/catalogue/catalogue.js';
import { type NodePools, SHARED_COOL_DOWN } from '#libs/chain/chains/rpc/node-pools.js';
import type { SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { Logger } from '#libs/platform/logger.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import { PoolBook } from '#libs/routing/pools/pool-book.js';
import { AccountBook } from '#libs/routing/pools/solana/account-book.js';
import { SolanaRouteFinder } from '#libs/routing/search/solana/solana-route-finder.js';
import { UsdValues } from '../evm/prices/usd-values.js';
import { ChainNodes } from '../nodes/chain-nodes.js';
import { WatchedDeployment } from './deployment/watched-deployment.js';
import type { SolanaServices } from './ports.js';
import { fitsTransaction } from './quote/transaction-room.js';
import { SolanaSwapBuilder } from './swap/swap-builder.js';
import { hopAccounts } from './venues/hop-accounts.js';
import { routedVenue } from './venues/routed-venue.js';
import type { SolanaVenues } from './venues/solana-venues.js';

export interface SolanaServicesDeps {
  spec: ChainSpec;
  /** The pools that the log knows; null while none is served. */
  pools: () => PoolBook | null;
  nodePools: NodePools;
  logger: Pick<Logger, 'warn'>;
  rpcUrls: readonly string[];
  /** The deployed swap program. */
  program: Hex;
  venues: SolanaVenues;
  /** How often all accounts are read again while a socket tells of changes. */
  sweepMs?: number;
}

export interface RunningSolana {
  readonly services: SolanaServices;
  readonly stages: readonly SupervisedStage[];
  /** For operators: how far the accounts are, and which config is served by. */
  status(): object;
  close(): Promise<void>;
}

/** How often one failure of the nodes may be logged. */
const LOG_EVERY_MS = 60_000;

/**
 * Puts Solana's services together. The log says which pools there are; their states, and the config of the swap program,
 * are read from accounts.
 */
export function createSolanaServices(deps: SolanaServicesDeps): RunningSolana {
  const { spec, pools, logger, nodePools, rpcUrls, program, venues, sweepMs } = deps;
  const urls = rpcUrls.filter((url) => /^https?:/i.test(url));
  const socketUrls = rpcUrls.filter((url) => /^wss?:/i.test(url));
  const nodes = new SolanaPool({ urls, nodes: nodePools.of(spec.slug, urls), timeoutMs: 5_000, ...SHARED_COOL_DOWN });
  const onError = rarely(LOG_EVERY_MS, (error: Error) =>
    logger.warn({ chain: spec.slug, err: error }, 'accounts of Solana were not read'),
  );
  const sources = venues.buildable.flatMap(({ venue }) => {
    const module = solanaModule(venue);
    return (module && routedVenue(module)) ?? [];
  });
  const deployment = new WatchedDeployment({ chain: spec.slug, program, nodes, socketUrls, sweepMs, onError });
  const wanted = (): ReadonlySet<string> | null => {
    const state = deployment.state();
    return state === null ? null : venues.withRow(state);
  };
  const book = new AccountBook({ venues: sources, nodes, pools, wanted, socketUrls, sweepMs, onError });
  const none = new PoolBook();
  const accountsOf = hopAccounts(book);
  const asked = new ChainNodes<SolanaEndpoint>({
    ...{ chain: spec.slug, urls, logger, nodePools },
    open: (options) => new SolanaPool(options),
  });
  const services: SolanaServices = {
    pools: book,
    market: pools,
    routes: new SolanaRouteFinder(book),
    deployment,
    usd: new UsdValues(spec, () => pools() ?? none),
    builder: new SolanaSwapBuilder({ chain: spec.slug, program, nodes: asked, accountsOf, labelOf: venues.labelOf }),
    // A route over our own venues alone always fits.
    fits: (legs, extraKeys) =>
      legs.flat().every(({ pool }) => venues.isOwn(pool.venue)) || fitsTransaction(accountsOf, legs, extraKeys),
  };
  const accounts: SupervisedStage = { name: `accounts.${spec.slug}`, run: (signal) => book.run(signal) };
  return {
    services,
    stages: [accounts, deployment],
    status: () => ({
      accounts: book.status(),
      swapProgram: {
        ...{ program: spec.ids.formatAddress(program), slot: deployment.state()?.slot ?? null },
        ...{ paused: deployment.state()?.config.paused ?? null },
      },
    }),
    close: async () => {
      await asked.close();
      await nodes.close();
    },
  };
}

/** Calls at most once within this time; further calls are dropped. */
function rarely<T>(everyMs: number, call: (value: T) => void): (value: T) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (value) => {
    if (performance.now() - last < everyMs) return;
    last = performance.now();
    call(value);
  };
}
