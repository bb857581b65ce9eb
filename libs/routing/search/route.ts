import type { Hex } from '#libs/core/ids.js';
import type { LivePool } from '#libs/routing/pools/live-pool.js';

/** What is searched for: the most of `tokenOut` that exactly `amountIn` of `tokenIn` buys. */
export interface RouteRequest {
  tokenIn: Hex;
  /** Another token than `tokenIn`. */
  tokenOut: Hex;
  /** At least 1. */
  amountIn: bigint;
  maxHops: 1 | 2 | 3;
  /** Venues that may be used (PoolRecord.venue); a route stays on one of them. */
  venues: ReadonlySet<string>;
}

export interface RouteHop {
  readonly pool: LivePool;
  /** True when token0 goes in. */
  readonly zeroForOne: boolean;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** The pool's fee, in the token that goes in. */
  readonly feeAmount: bigint;
}

export interface Route {
  readonly venue: string;
  /** One to three, in order; no token and no pool twice. */
  readonly hops: readonly RouteHop[];
  readonly amountOut: bigint;
}

export type RouteAnswer =
  | { kind: 'route'; route: Route; candidates: number }
  /** No path of pools leads from one token to the other. */
  | { kind: 'none' }
  /** Routes exist, none takes the amount: the most that one of them takes. */
  | { kind: 'too-large'; maxAmountIn: bigint }
  /** Routes exist, all of them give nothing for so little. */
  | { kind: 'too-small' };
