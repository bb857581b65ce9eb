import type { VenueContracts } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { QuotedHop } from './evm-quote.js';

/**
 * What a build sends, from a quote and its build request: which contract is called, along which tokens and pools, who
 * pays, who is paid, and the least that must arrive. Invariant: the amounts are the quote's; only the floor depends on
 * the request.
 */
export interface EvmSwapPlan {
  /** Contracts and routing of the venue; null for a wrap or unwrap. */
  readonly venue: VenueContracts | null;
  /** Contract that the swap is sent to, and the spender of approvals. */
  readonly target: Hex;
  /** The venue's label; the wrapped coin's symbol for a wrap or unwrap. */
  readonly label: string;
  readonly wallet: Hex;
  readonly recipient: Hex;
  /** What the wallet gives; null for the native coin. */
  readonly tokenIn: Hex | null;
  /** What the recipient gets; null for the native coin. */
  readonly tokenOut: Hex | null;
  /** Tokens in order, the wrapped coin for the native one; empty for a wrap or unwrap. */
  readonly path: readonly Hex[];
  readonly pools: readonly Hex[];
  /** Fee of each pool in parts per million. */
  readonly fees: readonly number[];
  readonly hops: readonly QuotedHop[];
  readonly amountIn: bigint;
  readonly quotedOut: bigint;
  readonly slippageBps: number;
  readonly floor: bigint;
}
