import type { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { TokenSafeties } from '#libs/pipeline/safety/safety-book.js';
import type { Logger } from '#libs/platform/logger.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { type BookMemory, PoolBook } from '#libs/routing/pools/pool-book.js';
import { createPoolFollower, type PoolFollower } from '#libs/routing/pools/pool-follower.js';
import type { RouteAnswer, RouteRequest } from '#libs/routing/search/route.js';
import { RouteCache } from '#libs/routing/search/route-cache.js';
import { RouteFinder } from '#libs/routing/search/route-finder.js';
import { sensibleAmount } from '#libs/routing/search/sensible-amount.js';
import { createSwapBuilder } from './build/create-swap-builder.js';
import { openEvmNodes } from './evm-nodes.js';
import type { EvmChainServices, EvmSwapBuilder, ProjectedHead, RouteSource } from './ports.js';
import { UsdValues } from './prices/usd-values.js';
import { AllTokenKnowledge } from './tokens/all-token-knowledge.js';
import { TokenFindings } from './tokens/token-findings.js';
import { createQuoteCheck, type QuoteCheck } from './venues/quote-check.js';
import { createVenueVerifier } from './venues/venue-verifier.js';

/** Where a chain's node is and what its operator vouches for. */
export interface NodeAccess {
  /** In order of preference; requests go over http, the others announce heads. */
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
  bookMemory?: BookMemory | undefined;
  nodePools: NodePools;
  logger: Logger;
  onFacts: (facts: FactsGroup) => void;
  /** What simulations of the indexer found of the chain's tokens. */
  safeties?: TokenSafeties | undefined;
}

export interface RunningServices {
  readonly services: EvmChainServices;
  readonly stages: readonly SupervisedStage[];
  /** For operators: how far the pools are, and what the chain said about the quotes that were checked. */
  status(): object;
  close(): Promise<void>;
}

/** The nodes that answer requests. */
export const askedUrls = ({ rpcUrls }: NodeAccess): string[] => rpcUrls.filter((url) => /^https?:/i.test(url));

/**
 * Puts the services of one chain together. Its pools come from the log; its nodes, through one client, answer everything
 * else.
 */
export function createChainServices(deps: ChainServicesDeps): RunningServices {
  const { chain, log, logger, node } = deps;
  const nodes = openEvmNodes(chain, { urls: askedUrls(node), logger, nodePools: deps.nodePools });
  const follower = createPoolFollower({ chain: chain.slug, log, logger, memory: deps.bookMemory });
  const tokens = new TokenFindings(() => follower.head()?.time ?? null);
  const builder = createSwapBuilder({ chain, nodes, logger, tokens });
  const venues = createVenueVerifier({
    ...{ chain, nodes, pins: node.codePins, logger },
    disabled: deps.disabledVenues,
  });
  const distrust = (pool: Hex) => follower.book()?.distrust(pool);
  const check = createQuoteCheck({ chain, nodes, logger, distrust });
  const services = new ChainServices(chain, follower, {
    ...{ builder, check, demoRpcUrl: node.demoRpcUrl, venues },
    tokens: deps.safeties === undefined ? tokens : new AllTokenKnowledge(tokens, deps.safeties),
  });
  follower.onGroup(deps.onFacts);
  return {
    services,
    stages: [follower, venues],
    status: () => ({
      ...{ pools: follower.status(), venues: [...venues.servable()], quotes: check.status() },
      ...{ simulation: builder.simulation(), tokens: tokens.status() },
    }),
    close: async () => {
      await check.close();
      await nodes.close();
    },
  };
}

interface ServiceParts extends Pick<EvmChainServices, 'builder' | 'demoRpcUrl' | 'tokens' | 'venues'> {
  check: QuoteCheck;
}

class ChainServices implements EvmChainServices, RouteSource {
  readonly venues: EvmChainServices['venues'];
  readonly tokens: EvmChainServices['tokens'];
  readonly builder: EvmSwapBuilder;
  readonly demoRpcUrl: string | null;
  readonly usd: UsdValues;
  private readonly none = new PoolBook();
  /** The routes of the follower's book; they are replaced when the follower changes its book. */
  private routesOf: { book: PoolBook; cache: RouteCache };

  constructor(
    readonly spec: ChainSpec,
    private readonly follower: PoolFollower,
    private readonly parts: ServiceParts,
  ) {
    ({ builder: this.builder, demoRpcUrl: this.demoRpcUrl, tokens: this.tokens, venues: this.venues } = parts);
    this.routesOf = cacheOf(this.none);
    this.usd = new UsdValues(spec, () => this.book);
  }

  /** Empty until the follower has a complete book. */
  get book(): PoolBook {
    return this.follower.book() ?? this.none;
  }

  get routes(): RouteSource {
    return this;
  }

  head(): ProjectedHead | null {
    return this.follower.head();
  }

  find(request: RouteRequest): RouteAnswer {
    const answer = this.search(request);
    const { head } = this.book;
    if (answer.kind === 'route' && head !== null) this.parts.check.sample(answer.route, head);
    return answer;
  }

  largestWithin(request: RouteRequest, limitBps: number): bigint | null {
    const answer = this.search(request);
    return answer.kind === 'route' ? sensibleAmount(answer.route, limitBps) : null;
  }

  private search(request: RouteRequest): RouteAnswer {
    const { book } = this;
    if (book !== this.routesOf.book) this.routesOf = cacheOf(book);
    return this.routesOf.cache.find(request);
  }
}

const cacheOf = (book: PoolBook) => ({ book, cache: new RouteCache(book, new RouteFinder(book)) });
