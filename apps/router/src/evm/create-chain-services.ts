import type { Hex } from '#libs/core/ids.js';
import type { EventLog } from '#libs/event-log/log.js';
import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import type { Logger } from '#libs/platform/logger.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import { PoolBook } from '#libs/pools/pool-book.js';
import { createPoolFollower, type PoolFollower } from '#libs/pools/pool-follower.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { RememberedRoutes } from '#libs/routing/remembered-routes.js';
import type { RouteAnswer, RouteRequest } from '#libs/routing/route.js';
import { RouteFinder } from '#libs/routing/route-finder.js';
import { createSwapBuilder } from './build/create-swap-builder.js';
import { createGasEstimates } from './gas/gas-estimates.js';
import type { EvmChainServices, ProjectedHead, RouteSearch, SwapBuilder } from './ports.js';
import { ChainNode } from './venues/chain-node.js';
import { createQuoteCheck, type QuoteCheck } from './venues/quote-check.js';
import { createVenueVerifier } from './venues/venue-verifier.js';

/** Where a chain's node is and what its operator vouches for. */
export interface NodeAccess {
  /** In order of preference; questions go over http, the others announce heads. */
  rpcUrls: readonly string[];
  codePins: ReadonlyMap<Hex, Hex>;
  /** The local chain's own node, for pages; null on a real chain. */
  demoRpcUrl: string | null;
}

export interface ChainServicesDeps {
  chain: ChainSpec;
  log: EventLog;
  node: NodeAccess;
  disabledVenues: readonly string[];
  logger: Logger;
  onFacts: (facts: FactsGroup) => void;
}

export interface RunningServices {
  readonly services: EvmChainServices;
  readonly stages: readonly SupervisedStage[];
  /** For operators: how far the pools are, and what the chain said of the quotes it was asked about. */
  status(): object;
  close(): Promise<void>;
}

/** The nodes that answer questions. */
export const askedUrls = ({ rpcUrls }: NodeAccess): string[] => rpcUrls.filter((url) => /^https?:/i.test(url));

/** Puts the parts of one chain's services together. Its pools come from the log; its node is asked for everything else. */
export function createChainServices(deps: ChainServicesDeps): RunningServices {
  const { chain, log, logger, node } = deps;
  const rpcUrls = askedUrls(node);
  const follower = createPoolFollower({ chain: chain.slug, log, logger });
  follower.onGroup(deps.onFacts);
  const chainNode = new ChainNode({ chainId: chain.chainId!, rpcUrls });
  const builder = createSwapBuilder({ chain, rpcUrls, logger });
  const gas = createGasEstimates({ chain, node: chainNode, logger });
  const venues = createVenueVerifier({
    ...{ chain, node: chainNode, pins: node.codePins, logger },
    disabled: deps.disabledVenues,
  });
  const distrust = (pool: Hex) => follower.book()?.distrust(pool);
  const check = createQuoteCheck({ chain, node: chainNode, logger, distrust });
  const services = new ChainServices(chain, follower, { builder, check, demoRpcUrl: node.demoRpcUrl, gas, venues });
  return {
    services,
    stages: [follower, venues],
    status: () => ({
      ...{ pools: follower.status(), venues: [...venues.servable()], quotes: check.status() },
      simulation: builder.simulation(),
    }),
    close: async () => {
      await Promise.all([check.close(), gas.close(), builder.close()]);
      await chainNode.close();
    },
  };
}

interface ServiceParts extends Pick<EvmChainServices, 'builder' | 'demoRpcUrl' | 'gas' | 'venues'> {
  check: QuoteCheck;
}

class ChainServices implements EvmChainServices, RouteSearch {
  readonly venues: EvmChainServices['venues'];
  readonly gas: EvmChainServices['gas'];
  readonly builder: SwapBuilder;
  readonly demoRpcUrl: string | null;
  private readonly none = new PoolBook();
  /** Of the follower's book, for as long as it is that one. */
  private finder: { book: PoolBook; routes: RouteSearch };

  constructor(
    readonly spec: ChainSpec,
    private readonly follower: PoolFollower,
    private readonly parts: ServiceParts,
  ) {
    ({ builder: this.builder, demoRpcUrl: this.demoRpcUrl, gas: this.gas, venues: this.venues } = parts);
    this.finder = finderOf(this.none);
  }

  /** Empty while none is complete. */
  get book(): PoolBook {
    const book = this.follower.book() ?? this.none;
    if (book !== this.finder.book) this.finder = finderOf(book);
    return book;
  }

  get routes(): RouteSearch {
    return this;
  }

  head(): ProjectedHead | null {
    return this.follower.head();
  }

  find(request: RouteRequest): RouteAnswer {
    const { book } = this;
    const answer = this.finder.routes.find(request);
    if (answer.kind === 'route' && book.head !== null) this.parts.check.sample(answer.route, book.head);
    return answer;
  }
}

const finderOf = (book: PoolBook) => ({ book, routes: new RememberedRoutes(book, new RouteFinder(book)) });
