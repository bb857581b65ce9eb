import type { Hex } from '#libs/core/ids.js';
import { tokenUsd } from '#libs/pipeline/fold/token-values.js';
import type { Position } from '#libs/pipeline/projections/positions/projection.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readPrices, readTokenRecords } from '#libs/serve/reader/read-prices.js';
import { type Valuation, valuationOfToken } from '../rows/profit-rows.js';

/** What the tokens of some positions are worth at a view, each token read once. */
export async function valuationsAt(
  view: ChainView,
  positions: readonly Position[],
): Promise<(token: Hex) => Valuation> {
  const tokens = new Set(positions.map(({ token }) => token));
  const [records, prices] = await Promise.all([readTokenRecords(view, tokens), readPrices(view, tokens)]);
  return (token) => valuationOfToken(records.get(token), tokenUsd(prices, token), view.head.time);
}
