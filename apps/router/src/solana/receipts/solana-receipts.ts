import { solanaModule } from '#libs/chain/catalogue/catalogue.js';
import type { Hex } from '#libs/core/ids.js';
import type { ReceiptOfBuild } from '../../receipts/receipt-book.js';
import type { BuiltQuote } from '../model/built-swap.js';
import type { SolanaChain } from '../ports.js';
import { type RoutedOver, receiptOfBuild } from './receipt-of-build.js';

/** Makes receipts of the builds of Solana, for the keeper that all chain families share. */
export const solanaReceipts = (chain: SolanaChain): ReceiptOfBuild<BuiltQuote> => ({
  chain: () => chain.spec.slug,
  quoteId: ({ quote }) => quote.quoteId,
  receipt: (build, ...rest) =>
    receiptOfBuild({ chain: chain.spec.slug, ...build, venueOf: (pool) => venueOf(chain, pool) }, ...rest),
});

function venueOf({ services, venues }: SolanaChain, pool: Hex): RoutedOver | null {
  const venue = services?.pools.pool(pool)?.venue;
  const named = venue === undefined ? null : venues.named(venue);
  return named && { id: named.id, label: named.label, feesOutside: solanaModule(named.venue)?.feesOutside ?? false };
}
