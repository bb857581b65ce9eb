import type { Hex } from '#libs/core/ids.js';
import type { QuotedSwap } from './solana-quote.js';

/** The order of a build: what it swaps, for whom, and how the network fee is chosen. */
export interface SolanaSwapOrder {
  readonly swap: QuotedSwap;
  readonly wallet: Hex;
  /** Whether the wallet pays or gets the coin itself where the quote names the wrapped coin. */
  readonly wraps: boolean;
  /** Token account that the platform fee goes to; null without a fee. */
  readonly feeAccount: Hex | null;
  /** Token account that gets the output; null: the wallet's own. */
  readonly destination: Hex | null;
  readonly priority: PriorityWish;
}

export type PriorityWish =
  | { readonly kind: 'lamports'; readonly lamports: bigint }
  /** Micro-lamports a compute unit. */
  | { readonly kind: 'price'; readonly price: bigint }
  /** The fee that this percentage of the recent fees for the same accounts is below. */
  | { readonly kind: 'recent'; readonly percentile: number; readonly maxLamports: bigint };
