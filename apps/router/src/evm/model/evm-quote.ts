import type { ChainSpec, VenueSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { quoteWarnings } from '#libs/serve/contract/rest/evm/quote-body.js';
import type { QuoteIssue } from '../../model/quote-issue.js';
import { NATIVE_MINT } from '../native-coin.js';

/** One pool of a quoted route; the hops of a found route have this form. */
export interface QuotedHop {
  readonly pool: {
    readonly id: Hex;
    readonly token0: Hex;
    readonly token1: Hex;
    /** Parts per million. */
    readonly feePpm: number;
  };
  /** True when token0 goes in. */
  readonly zeroForOne: boolean;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly feeAmount: bigint;
}

export interface QuotedRoute {
  /** PoolRecord.venue of every hop. */
  readonly venue: string;
  readonly hops: readonly QuotedHop[];
}

/** What a caller should know before it builds; permanent codes. */
export type QuoteWarning = (typeof quoteWarnings)[number];

/**
 * A quote as a value, from the pricing to the build: amounts are base units, tokens are ids, and the route is the one that
 * the search found. Text exists at the edges only (`quote-text.ts` writes it, `read-quote.ts` reads it back).
 */
export interface PricedQuote {
  readonly chain: ChainSpec;
  /** As in the request: NATIVE for the coin. */
  readonly inputMint: Hex;
  readonly outputMint: Hex;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly slippageBps: number;
  /** null for a wrap or unwrap: one for one, without a pool. */
  readonly route: QuotedRoute | null;
  /** Contract that the swap is sent to, and the spender of approvals. */
  readonly router: Hex;
  readonly gasEstimate: bigint;
  /** Routes compared. */
  readonly candidates: number;
  /** The block that it was priced at. */
  readonly head: { readonly height: number; readonly hash: Hex };
  /** Output against the same route's spot before the trade, fees left out; null where unknown. */
  readonly impactBps: number | null;
  /** For people: what the amounts are worth; null where unknown. */
  readonly inUsd: number | null;
  readonly outUsd: number | null;
  readonly warnings: readonly QuoteWarning[];
}

/** A priced quote as one caller got it. */
export interface IssuedQuote extends QuoteIssue {
  readonly priced: PricedQuote;
}

/** The least that a build of a quote accepts: rounded down, as the router contract compares; all of it for a wrap. */
export function floorOf({ route, amountOut }: Pick<PricedQuote, 'route' | 'amountOut'>, slippageBps: number): bigint {
  return route === null ? amountOut : (amountOut * BigInt(10_000 - slippageBps)) / 10_000n;
}

export const isNative = (mint: Hex): boolean => mint === NATIVE_MINT;

export const tokenIn = ({ pool, zeroForOne }: QuotedHop): Hex => (zeroForOne ? pool.token0 : pool.token1);
export const tokenOut = ({ pool, zeroForOne }: QuotedHop): Hex => (zeroForOne ? pool.token1 : pool.token0);

/** The token that goes in, those between, and the token that comes out. */
export function tokensOf({ hops }: QuotedRoute): Hex[] {
  return [tokenIn(hops[0]!), ...hops.map(tokenOut)];
}

export const venueOf = (chain: ChainSpec, route: QuotedRoute): VenueSpec =>
  chain.venues.find(({ venue }) => venue === route.venue)!;
