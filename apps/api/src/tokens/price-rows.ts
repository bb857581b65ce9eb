import type { Hex } from '#libs/core/ids.js';
import type { PriceBody } from '#libs/serve/contract/rest/token-list-body.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readTokenPrices } from '#libs/serve/reader/read-token-prices.js';
import { priceNumber } from '../rows/display.js';
import { changePercent } from '../rows/stats-row.js';

/** Prices of tokens as every answer shows them; a token that no block named is not in the map. */
export async function priceRows(view: ChainView, tokens: readonly Hex[]): Promise<Map<Hex, PriceBody>> {
  const { slug, ids } = view.chain;
  const prices = await readTokenPrices(view, tokens);
  return new Map(
    [...prices].map(([token, { priceUsd, priceCoin, priceDayBefore }]) => [
      token,
      {
        chain: slug,
        address: ids.formatAddress(token),
        priceUsd: priceNumber(priceUsd),
        priceNative: priceNumber(priceCoin),
        change24hPercent: changePercent(priceDayBefore, priceUsd),
        updatedAt: view.head.time,
      },
    ]),
  );
}
