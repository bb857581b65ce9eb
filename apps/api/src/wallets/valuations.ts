import type { Hex } from '#libs/core/ids.js';
import { tokenUsd } from '#libs/pipeline/fold/token-values.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readPrices, readTokenRecords } from '#libs/serve/reader/read-prices.js';
import { type Valuation, valuationOfToken } from '../rows/profit-rows.js';

/** What the tokens of some rows are worth at a view, each token read once. */
export async function valuationsAt(
  view: ChainView,
  rows: readonly { readonly token: Hex }[],
): Promise<(token: Hex) => Valuation> {
  const tokens = new Set(rows.map(({ token }) => token));
  const [records, prices] = await Promise.all([readTokenRecords(view, tokens), readPrices(view, tokens)]);
  return (token) => valuationOfToken(records.get(token), tokenUsd(prices, token), view.head.time);
}
