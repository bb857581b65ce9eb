import type { VenueSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { FactsPosition, QuoteReceipt, ReceiptLeg } from '#libs/protocol/receipts.js';
import { partsOf } from '#libs/routing/search/solana/split-route.js';
import type { SolQuote } from '#libs/serve/contract/rest/solana/quote-body.js';
import { newReceipt } from '../../receipts/new-receipt.js';
import type { BuiltSolanaSwap } from '../model/built-swap.js';
import type { QuotedSwap } from '../model/solana-quote.js';

/** What a receipt is made of: a build, its quote as it was answered, and the venues of its pools. */
export interface BuildToKeep {
  readonly chain: string;
  readonly built: Pick<BuiltSolanaSwap, 'order' | 'simulation'>;
  readonly quote: Pick<SolQuote, 'quoteId' | 'contextSlot'>;
  /** Null for a pool that is not known any more. */
  readonly venueOf: (pool: Hex) => RoutedOver | null;
}

export interface RoutedOver extends Pick<VenueSpec, 'id' | 'label'> {
  /** Whether its trades leave out fees that the wallet pays outside the pool. */
  readonly feesOutside: boolean;
}

/**
 * A blockhash is valid for 150 blocks, about a minute. A swap counts as expired only after twice that, on the clock and
 * in slots: with slow blocks, or slots without a block, it may still land.
 */
const LIFETIME_MS = 120_000;
const LIFETIME_SLOTS = 300;
/** Fees outside a pool take at most one part in this many of an input. */
const MOST_OUTSIDE = 10n;

/** The receipt of a build that was answered. */
export function receiptOfBuild(
  { chain, built, quote, venueOf }: BuildToKeep,
  account: string | null,
  builtAfter: FactsPosition,
  builtAt: number,
): QuoteReceipt {
  const { order, simulation } = built;
  const { swap, wallet, destination } = order;
  const venueIds = swap.legs.flatMap(({ hops }) => hops.map(({ pool }) => venueOf(pool)?.id ?? UNKNOWN));
  const legs = legsOf(swap, venueOf);
  return {
    ...newReceipt(account, builtAfter, builtAt),
    quoteId: quote.quoteId,
    ...{ chain, wallet },
    recipient: destination ?? wallet,
    inputMint: swap.inputMint,
    outputMint: swap.outputMint,
    exact: swap.exact,
    inAmount: swap.amountIn,
    quotedOut: swap.amountOut,
    simulatedIn: simulation.amountIn,
    simulatedOut: simulation.amountOut,
    threshold: swap.threshold,
    slippageBps: swap.slippageBps,
    feeBps: swap.feeBps,
    venueId: together(venueIds),
    dex: together(legs.flatMap(({ hops }) => hops.map(({ dex }) => dex))),
    legs,
    quoteBlock: { number: quote.contextSlot, hash: null },
    buildBlock: { number: simulation.slot, hash: null },
    deadline: builtAt + LIFETIME_MS,
    lastHeight: simulation.slot + LIFETIME_SLOTS,
  };
}

const UNKNOWN = 'unknown';
const together = (names: readonly string[]): string => [...new Set(names)].join(' + ');

function legsOf(swap: QuotedSwap, venueOf: BuildToKeep['venueOf']): ReceiptLeg[] {
  const parts = partsOf(swap.exact === 'in' ? swap.amountIn : swap.amountOut, swap.legs);
  return swap.legs.map(({ shareBps, hops }, n) => {
    const amount = parts[n]!;
    const isOutside = venueOf(hops[0]!.pool)?.feesOutside ?? false;
    return {
      ...{ shareBps, amount, leastIn: isOutside ? amount - amount / MOST_OUTSIDE : amount },
      hops: hops.map(({ pool, label }) => ({ pool, dex: venueOf(pool)?.label ?? (label || UNKNOWN) })),
    };
  });
}
