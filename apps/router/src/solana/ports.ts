import type { ChainMoment } from '#libs/chain/chains/solana/accounts.js';
import type { ChainSpec, VenueSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolBook } from '#libs/routing/pools/pool-book.js';
import type { SolanaRoutedPool } from '#libs/routing/search/solana/solana-edge.js';
import type { SolanaRouteHop } from '#libs/routing/search/solana/solana-route.js';
import type { SolanaRouteFinder } from '#libs/routing/search/solana/solana-route-finder.js';
import type { SolVenue } from '#libs/serve/contract/rest/solana/venue-body.js';
import type { UsdValuation } from '../model/usd-valuation.js';
import type { BuiltSolanaSwap } from './model/built-swap.js';
import type { DeploymentState, SwapDeployment } from './model/deployment.js';
import type { RecentBlockhash } from './model/recent-blockhash.js';
import type { SolanaSwapOrder } from './model/swap-order.js';

/**
 * What the router's Solana routes use. Everything that a quote needs answers at once, from memory; only a build waits for
 * the node.
 */
export interface SolanaServices {
  readonly pools: QuotedPools;
  /** The pools as the log has them; null while none is served. */
  market(): PoolBook | null;
  readonly routes: Pick<SolanaRouteFinder, 'find' | 'route'>;
  readonly deployment: SwapDeployment;
  readonly usd: UsdValuation;
  readonly builder: SolanaSwapBuilder;
  /** Whether the legs fit one transaction, next to so many further keys. */
  fits(legs: readonly (readonly SolanaRouteHop[])[], extraKeys: number): boolean;
}

/** Solana: always listed, whether or not this instance has a node and a deployment. */
export interface SolanaChain {
  readonly spec: ChainSpec;
  /** false in a router for EVM chains alone, whose readiness leaves Solana out. */
  readonly isListed: boolean;
  readonly venues: SolanaVenueTable;
  /** null: there is no node or no deployment for it (yet). */
  readonly services: SolanaServices | null;
  /** Why there is none, as a sentence without the chain's name. */
  readonly absence: string;
  /** JSON-RPC of a local chain, for pages that sign with a demo wallet; null on a real one. */
  readonly demoRpcUrl: string | null;
}

/** The venues of Solana, joined with the rows that the config of the swap program has for them. */
export interface SolanaVenueTable {
  /** Venues that the swap program can call. */
  readonly buildable: readonly VenueSpec[];
  /** Ids (PoolRecord.venue) of the venues that may be quoted by this config. */
  servable(state: DeploymentState): ReadonlySet<string>;
  /** Every venue of the chain, in the order of its spec; null: no config was read. */
  rows(state: DeploymentState | null): SolVenue[];
  /** Labels by the base58 address of the program. */
  labels(): Record<string, string>;
  /** null for a program that is no venue, and for our own venues. */
  labelOf(program: string): string | null;
  /** The buildable venue of that id; null where there is none. */
  named(venue: string): VenueSpec | null;
}

/** Pools with their states from accounts, such as an AccountBook. */
interface QuotedPools {
  /** Changes with everything that may change a quote. */
  readonly version: number;
  /** Of the newest reading; null before the first. */
  readonly moment: ChainMoment | null;
  pool(id: Hex): SolanaRoutedPool | null;
}

/**
 * Builds and simulates. Throws a Refusal (simulation_failed, quote_moved, insufficient_funds, not_ready), a 400 about an
 * account that the caller named, or NodesUnavailableError.
 */
interface SolanaSwapBuilder {
  build(order: SolanaSwapOrder, signal: AbortSignal): Promise<BuiltSolanaSwap>;
  blockhash(signal: AbortSignal): Promise<RecentBlockhash>;
}
