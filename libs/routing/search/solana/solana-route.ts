import type { Hex } from '#libs/core/ids.js';
import type { SolanaRoutedPool } from './solana-edge.js';

/** Amounts are those that reach and leave the pools' vaults. */
export interface SolanaRouteRequest {
  readonly tokenIn: Hex;
  /** Another token than `tokenIn`. */
  readonly tokenOut: Hex;
  /** `in`: the most of `tokenOut` for exactly `amount`; `out`: the least of `tokenIn` for at least `amount`. */
  readonly exact: 'in' | 'out';
  /** At least 1. */
  readonly amount: bigint;
  readonly maxHops: 1 | 2 | 3 | 4;
  /** Venues that may be used. */
  readonly venues: ReadonlySet<string>;
  /** Whether the hops of a route may be of several venues. */
  readonly mixVenues: boolean;
  /** Pools that may not be used. */
  readonly without?: ReadonlySet<Hex>;
}

export interface SolanaRouteHop {
  readonly pool: SolanaRoutedPool;
  /** True when token0 goes in. */
  readonly zeroForOne: boolean;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** All that the trader pays on top of the curve's price, in units of `feeSide`. */
  readonly fee: bigint;
  readonly feeSide: 'input' | 'output';
  /** As CurveSwap has them. */
  readonly steps?: number;
}

export interface SolanaRoute {
  /** One to four, in order; no token and no pool twice. Of an exact output a hop may give more than the next takes. */
  readonly hops: readonly SolanaRouteHop[];
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

export type SolanaRouteAnswer =
  | { readonly kind: 'route'; readonly route: SolanaRoute; readonly candidates: number }
  /** No path of pools leads from one token to the other. */
  | { readonly kind: 'none' }
  /** Routes exist, none takes or gives the amount: one that some route does, the most of the deepest ones; 0 when none does. */
  | { readonly kind: 'too-large'; readonly maxAmount: bigint }
  /** Routes exist, all of them give nothing for so little. */
  | { readonly kind: 'too-small' };
