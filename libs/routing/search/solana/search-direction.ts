import type { Link, TokenNode } from '../venue-graph.js';
import type { SolanaPoolEdge } from './solana-edge.js';

export type SolanaTokenNode = TokenNode<SolanaPoolEdge>;
export type SolanaLink = Link<SolanaPoolEdge>;

/**
 * The two directions of a search: with an input from the first token on, for the most output; with an output from the last
 * token back, for the least input. Invariant: `bound` is never worse than `exact` for that amount or any worse one, and
 * never gets better as the amount gets worse. A score is higher for the better amount.
 */
export interface SearchDirection {
  readonly forward: boolean;
  /** Edges of a link in the direction of the search. */
  edges(link: SolanaLink): readonly SolanaPoolEdge[];
  bound(edge: SolanaPoolEdge, amount: number): number;
  /** As `bound`, closer by an exact swap of that amount; `bound` itself where it is as close or the swap is refused. */
  tight(edge: SolanaPoolEdge, amount: number, bound: number): number;
  /** Null when the pool refuses. */
  exact(edge: SolanaPoolEdge, amount: bigint): bigint | null;
  score(amount: number): number;
  /** Whether the amount is close to what the pool holds, so that the pool may refuse it. */
  nearsReserve(edge: SolanaPoolEdge, amount: number): boolean;
  isBetter(a: bigint, b: bigint): boolean;
  /** Paths with a score at or below the floor are discarded. */
  readonly floor: number;
}

export const MOST_OUTPUT: SearchDirection = {
  forward: true,
  edges: (link) => link.edges,
  bound: (edge, amount) => edge.upper(amount),
  tight: (edge, amount, bound) => edge.tightUpper(amount, bound),
  exact: (edge, amount) => edge.swapIn(amount)?.amountOut ?? null,
  score: (amount) => amount,
  nearsReserve: (edge, amount) => edge.inputNearsReserve(amount),
  isBetter: (a, b) => a > b,
  floor: 0,
};

export const LEAST_INPUT: SearchDirection = {
  forward: false,
  edges: (link) => link.back.edges,
  bound: (edge, amount) => edge.lower(amount),
  tight: (edge, amount, bound) => edge.tightLower(amount, bound),
  exact: (edge, amount) => edge.swapOut(amount)?.amountIn ?? null,
  score: (amount) => -amount,
  nearsReserve: (edge, amount) => edge.outputNearsReserve(amount),
  isBetter: (a, b) => a < b,
  floor: Number.NEGATIVE_INFINITY,
};
