import type { Hex } from '#libs/core/ids.js';
import type { LivePool } from '#libs/routing/pools/live-pool.js';

/** What a graph of tokens needs to know about a pool. */
export interface RoutedPool {
  readonly id: Hex;
  readonly token0: Hex;
  readonly token1: Hex;
}

/** One pool in one direction. */
export interface GraphEdge<P extends RoutedPool = RoutedPool> {
  readonly pool: P;
  /** True when token0 goes in. */
  readonly zeroForOne: boolean;
}

/**
 * One pool in one direction, as the route search sees it. Invariant: `upper` and `mostOutput` are never below what
 * `exact` gives, and `capacityUpper` never below `capacity`; floats only rank and prune, every amount comes from the exact
 * functions. All of them follow the pool's state as it is at the call. Only a usable edge may be asked.
 */
export interface PoolEdge<P extends RoutedPool = LivePool> extends GraphEdge<P> {
  /** May be quoted and has a price. */
  usable(): boolean;
  /** At least what any input up to this one gives; a whole number. */
  upper(amountIn: number): number;
  /** At least what it gives for anything. */
  mostOutput(): number;
  /** What the contract gives, possibly 0; NOT_TAKEN when it does not take the whole input. Never falls with the input. */
  exact(amountIn: bigint): bigint;
  capacityUpper(): number;
  /** The most that it takes. */
  capacity(): bigint;
  /** The most that it takes and gives at most `mostOutput` for. */
  mostInput(mostOutput: bigint): bigint;
  /** The fee that the pool keeps of an input it takes, in the token that goes in. */
  fee(amountIn: bigint): bigint;
}

/**
 * What a float bound is raised by. The contracts round against the trader, so the real-valued curve bounds them; a float
 * follows that curve within one unit in the last place an operation, summed over at most 2 · 887,272 ticks: below 4e-10.
 */
export const BOUND_MARGIN = 1 + 1e-9;
