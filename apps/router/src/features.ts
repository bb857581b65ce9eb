import type { FeatureClass } from '#libs/serve/http/route-feature.js';
import { DocumentsFeature } from './documents/documents.feature.js';
import { QuoteFeature } from './evm/quote/quote.feature.js';
import { ReceiptsFeature } from './evm/receipts/receipts.feature.js';
import { EvmStatusFeature } from './evm/status/status.feature.js';
import { SwapFeature } from './evm/swap/swap.feature.js';
import { VenuesFeature } from './evm/venues/venues.feature.js';
import { LaunchFeature } from './launch/launch.feature.js';
import { SolanaQuoteFeature } from './solana/quote/solana-quote.feature.js';
import { SolanaReceiptsFeature } from './solana/receipts/solana-receipts.feature.js';
import { SolanaSwapFeature } from './solana/swap/solana-swap.feature.js';
import { TransactionsFeature } from './solana/transaction/transactions.feature.js';
import { SolanaVenuesFeature } from './solana/venues/solana-venues.feature.js';
import { StatusFeature } from './status/status.feature.js';

/** Every feature of the router, in the order in which its document lists them: one line a feature. */
export const features: readonly FeatureClass[] = [
  StatusFeature,
  DocumentsFeature,
  QuoteFeature,
  SwapFeature,
  VenuesFeature,
  ReceiptsFeature,
  EvmStatusFeature,
  SolanaQuoteFeature,
  SolanaSwapFeature,
  TransactionsFeature,
  SolanaVenuesFeature,
  SolanaReceiptsFeature,
  LaunchFeature,
];
