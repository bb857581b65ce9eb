import type { Hex } from '#libs/core/ids.js';
import type { solQuoteWarnings } from '#libs/serve/contract/rest/solana/quote-body.js';

/** One pool of a quoted route. */
export interface SolanaQuoteHop {
  readonly pool: Hex;
  /** PoolRecord.venue. */
  readonly venue: string;
  readonly label: string;
  readonly tokenIn: Hex;
  readonly tokenOut: Hex;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly fee: bigint;
  readonly feeSide: 'input' | 'output';
}

export interface SolanaQuoteLeg {
  /** The share of the exact amount; the shares of all legs add up to 10,000. */
  readonly shareBps: number;
  readonly hops: readonly SolanaQuoteHop[];
}

/** What a build needs of a quote. */
export interface QuotedSwap {
  readonly exact: 'in' | 'out';
  /** Ids; the wrapped coin where the coin is meant. */
  readonly inputMint: Hex;
  readonly outputMint: Hex;
  /**
   * What leaves the wallet, and what reaches it. The platform fee of an exact output is part of the first; that of an
   * exact input was taken from the second.
   */
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** The least output of an exact input, the most input of an exact output. */
  readonly threshold: bigint;
  readonly slippageBps: number;
  readonly feeBps: number;
  readonly feeAmount: bigint;
  readonly legs: readonly SolanaQuoteLeg[];
}

/** A quote as a value: amounts are base units, tokens and pools are ids. */
export interface SolanaQuote extends QuotedSwap {
  /** Id of the swap program. */
  readonly program: Hex;
  readonly slot: number;
  readonly candidates: number;
  /** Null where a pool states no spot. */
  readonly impactPpm: number | null;
  readonly inUsd: number | null;
  readonly outUsd: number | null;
  readonly warnings: readonly (typeof solQuoteWarnings)[number][];
}

export const QUOTE_LIFETIME_MS = 30_000;
const WHOLE_BPS = 10_000n;
const U64_MAX = (1n << 64n) - 1n;

/** Rounded down, as the swap program compares it. */
export function thresholdOf(exact: 'in' | 'out', amountIn: bigint, amountOut: bigint, slippageBps: number): bigint {
  if (exact === 'in') return (amountOut * (WHOLE_BPS - BigInt(slippageBps))) / WHOLE_BPS;
  const most = (amountIn * (WHOLE_BPS + BigInt(slippageBps))) / WHOLE_BPS;
  return most > U64_MAX ? U64_MAX : most;
}
