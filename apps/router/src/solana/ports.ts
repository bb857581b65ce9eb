import type { ChainMoment } from '#libs/chain/chains/solana/accounts.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolBook } from '#libs/routing/pools/pool-book.js';
import type { SolanaRoutedPool } from '#libs/routing/search/solana/solana-edge.js';
import type { SolanaRouteHop } from '#libs/routing/search/solana/solana-route.js';
import type { SolanaRouteFinder } from '#libs/routing/search/solana/solana-route-finder.js';
import type { UsdValues } from '../evm/prices/usd-values.js';
import type { SwapDeployment } from './deployment/deployment.js';
import type { BuiltSolanaSwap } from './swap/built-swap.js';
import type { RecentBlockhash } from './swap/chain-reads.js';
import type { SolanaSwapOrder } from './swap/swap-order.js';
import type { SolanaVenues } from './venues/solana-venues.js';

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
  readonly usd: Pick<UsdValues, 'value'>;
  readonly builder: SolanaSwapBuilder;
  /** Whether the legs fit one transaction, next to so many further keys. */
  fits(legs: readonly (readonly SolanaRouteHop[])[], extraKeys: number): boolean;
}

/** Solana: always listed, whether or not this instance has a node and a deployment. */
export interface SolanaChain {
  readonly spec: ChainSpec;
  /** Whether this router tells of it at all: false in one that is made for EVM chains alone. */
  readonly isListed: boolean;
  readonly venues: SolanaVenues;
  /** null: there is no node or no deployment for it (yet). */
  readonly services: SolanaServices | null;
  /** Why there is none, as a sentence without the chain's name. */
  readonly absence: string;
  /** JSON-RPC of a local chain, for pages that sign with a demo wallet; null on a real one. */
  readonly demoRpcUrl: string | null;
}

/** Pools with their states from accounts, such as an AccountBook. */
export interface QuotedPools {
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
export interface SolanaSwapBuilder {
  build(order: SolanaSwapOrder, signal: AbortSignal): Promise<BuiltSolanaSwap>;
  blockhash(signal: AbortSignal): Promise<RecentBlockhash>;
}
