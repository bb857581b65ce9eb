import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import type { PoolBook } from '#libs/routing/pools/pool-book.js';
import type { RouteAnswer, RouteRequest } from '#libs/routing/search/route.js';
import type { EvmVenue } from '#libs/serve/contract/rest/evm/venue-body.js';
import type { UsdValuation } from '../model/usd-valuation.js';
import type { BuildRequest } from './model/build-request.js';
import type { BuiltEvmSwap } from './model/built-swap.js';
import type { TokenFinding } from './model/token-finding.js';

/**
 * What the router's routes use of one EVM chain. Everything that a quote needs answers at once, from memory; only a build
 * waits for the node.
 */
export interface EvmChainServices {
  readonly spec: ChainSpec;
  /** The projected pools that quotes are priced at. */
  readonly book: PoolBook;
  readonly routes: RouteSource;
  readonly venues: VenueVerifier;
  readonly usd: UsdValuation;
  readonly tokens: TokenKnowledge;
  readonly builder: EvmSwapBuilder;
  head(): ProjectedHead | null;
  /** The local chain's own node; null on a real chain. */
  readonly demoRpcUrl: string | null;
}

/** One of the EVM chains: always listed, whether or not this instance has a node for it. */
export interface EvmChain {
  readonly spec: ChainSpec;
  /** null: there is no node for it (yet). */
  readonly services: EvmChainServices | null;
  /** Why there is none, as a sentence without the chain's name. */
  readonly absence: string;
}

/** The newest block in the book and how its source saw it. */
export interface ProjectedHead {
  height: number;
  hash: Hex;
  /** Unix ms. */
  time: number;
  source: 'stream' | 'http';
}

export interface RouteSource {
  find(request: RouteRequest): RouteAnswer;
  /** The largest amount with at most this impact along the best route of a request; null where there is none. */
  largestWithin(request: RouteRequest, limitBps: number): bigint | null;
}

/** Compares one chain's venues with the chain itself; as a stage it repeats that, more rarely once all venues have passed. */
export interface VenueVerifier extends SupervisedStage {
  /** Every venue of the chain, in the order of its spec. */
  rows(): readonly EvmVenue[];
  /** Venues (PoolRecord.venue) that may be quoted now. */
  servable(): ReadonlySet<string>;
}

/** What simulations have found of the chain's tokens. */
export interface TokenKnowledge {
  /** Changes with everything that may change a quote. */
  readonly version: number;
  /** How many tokens have a finding. */
  readonly size: number;
  of(token: Hex): TokenFinding | null;
}

/**
 * Builds and simulates. Throws a Refusal (simulation_failed, quote_moved, insufficient_funds, fee_on_transfer,
 * token_not_transferable, bad_request), or NodesUnavailableError.
 */
export interface EvmSwapBuilder {
  build(request: BuildRequest, signal: AbortSignal): Promise<BuiltEvmSwap>;
  /** How it simulates, once it has found out. */
  simulation(): 'eth_simulateV1' | 'eth_call' | 'unknown';
}
