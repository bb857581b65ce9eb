import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import { inCoin } from '#libs/pipeline/fold/price-rule.js';
import { tokenUsd } from '#libs/pipeline/fold/token-values.js';
import type { ChainView } from './chain-view.js';
import { readPrices, readTokenRecords } from './read-prices.js';
import { statsWindows } from './read-stats.js';

export interface TokenPrice {
  priceUsd: E36 | null;
  priceCoin: E36 | null;
  /** USD price a day of block time before; null when it had none. */
  priceDayBefore: E36 | null;
}

/** Prices of many tokens as `readToken` gives them, from few reads; a token that no block named is not in the map. */
export async function readTokenPrices(view: ChainView, tokens: readonly Hex[]): Promise<Map<Hex, TokenPrice>> {
  const known = [...(await readTokenRecords(view, tokens)).keys()];
  if (known.length === 0) return new Map();
  // What is held of earlier prices has the newest ones too.
  const before = await readPrices(view, known, view.head.time - statsWindows['24h'] + 1);
  const now = await readPrices(view, known);
  const coinUsd = tokenUsd(now, view.chain.wrappedNative.token);
  return new Map(
    known.map((token) => {
      const priceUsd = tokenUsd(now, token);
      return [token, { priceUsd, priceCoin: inCoin(priceUsd, coinUsd), priceDayBefore: tokenUsd(before, token) }];
    }),
  );
}
