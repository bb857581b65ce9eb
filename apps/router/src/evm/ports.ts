import type { Hex } from '#libs/core/ids.js';
import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import type { PoolBook } from '#libs/pools/pool-book.js';
import type { EvmQuote } from '#libs/protocol/rest/evm/quote-body.js';
import type { EvmSwapAnswer } from '#libs/protocol/rest/evm/swap-body.js';
import type { EvmVenue } from '#libs/protocol/rest/evm/venue-body.js';
import type { Route, RouteAnswer, RouteRequest } from '#libs/routing/route.js';

/**
 * The parts of one EVM chain behind the router's doors. Everything a quote needs answers at once, from memory; only a
 * build waits for the node.
 */
export interface EvmChainServices {
  readonly spec: ChainSpec;
  /** The projected pools that quotes are priced at. */
  readonly book: PoolBook;
  readonly routes: RouteSearch;
  readonly venues: VenueVerifier;
  readonly gas: GasEstimates;
  readonly builder: SwapBuilder;
  head(): ProjectedHead | null;
  /** The local chain's own node; null on a real chain. */
  readonly demoRpcUrl: string | null;
}

/** One of the four chains: always listed, whether or not this instance has a node for it. */
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

export interface RouteSearch {
  find(request: RouteRequest): RouteAnswer;
}

/** Verification of one chain's venues against the chain itself; as a stage it checks until all pass, and goes on looking. */
export interface VenueVerifier extends SupervisedStage {
  /** Every venue of the chain, in the order of its spec. */
  rows(): readonly EvmVenue[];
  /** Venues (PoolRecord.venue) that may be quoted now. */
  servable(): ReadonlySet<string>;
}

/** Indicative gas of routes. Never waits: what is not known is estimated and asked for in the background. */
export interface GasEstimates {
  estimate(route: Route): bigint;
}

export interface BuildRequest {
  /** The quote as it was held. */
  quote: EvmQuote;
  wallet: Hex;
  /** null: the wallet. */
  recipient: Hex | null;
  /** null: the quote's own. */
  slippageBps: number | null;
  deadlineSeconds: number;
}

/**
 * Builds and simulates; throws HttpProblem with a router error code (409 simulation_failed, quote_moved; 422
 * insufficient_funds, fee_on_transfer, token_not_transferable; 503 rpc).
 */
export interface SwapBuilder {
  build(request: BuildRequest, signal: AbortSignal): Promise<EvmSwapAnswer>;
  /** How it simulates, once it has found out. */
  simulation(): 'eth_simulateV1' | 'eth_call' | 'unknown';
}

/** Keeps what was promised: told of every build that was answered. */
export interface ReceiptBook {
  built(build: { request: BuildRequest; answer: EvmSwapAnswer }): void;
}
