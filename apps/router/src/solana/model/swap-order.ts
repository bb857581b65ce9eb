import type { Hex } from '#libs/core/ids.js';
import type { QuotedSwap } from './solana-quote.js';

/** What a build is asked for. */
export interface SolanaSwapOrder {
  readonly swap: QuotedSwap;
  readonly wallet: Hex;
  /** Whether the wrapped coin on either side is the coin itself in the wallet. */
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
  /** What so many percent of the recent fees for the same accounts are below. */
  | { readonly kind: 'recent'; readonly percentile: number; readonly maxLamports: bigint };
