import type { FoldStore } from './fold-store.js';
import type { PriceBook } from './price-book.js';
import type { TokenTable } from './token-table.js';
import type { TradeThresholds } from './trades.js';

/** The working set of a fold, and the store that has all of it. */
export interface FoldParts {
  readonly store: FoldStore;
  readonly table: TokenTable;
  readonly prices: PriceBook;
  readonly thresholds: TradeThresholds;
}
