import type { Hex } from '#libs/core/ids.js';
import { inCoin, marketCap, tokenUsd } from '#libs/fold/price-rule.js';
import type { TokenTick } from '#libs/protocol/live/token.js';
import type { ChainView } from '#libs/reader/chain-view.js';
import { readHolderCounts } from '#libs/reader/read-holders.js';
import { readPrices, readTokenRecords } from '#libs/reader/read-prices.js';
import { tokenSupply } from '#libs/reader/token-supply.js';
import { isCounted } from '../rows/counted-supply.js';
import { priceNumber, volumeNumber } from '../rows/display.js';

/** The fields of a token's row that trades move, as the row has them at the same view; null for an unknown token. */
export async function tokenTick(view: ChainView, token: Hex): Promise<Omit<TokenTick, 'trades'> | null> {
  const [records, counts, prices] = await Promise.all([
    readTokenRecords(view, [token]),
    readHolderCounts(view, [token]),
    readPrices(view, [token]),
  ]);
  const record = records.get(token);
  if (record === undefined) return null;
  const supply = tokenSupply(record, counts.get(token));
  const priceUsd = tokenUsd(prices, token);
  const fullyDiluted = isCounted(view.chain, token) ? marketCap(priceUsd, supply.total, record.decimals) : null;
  return {
    priceUsd: priceNumber(priceUsd),
    priceNative: priceNumber(inCoin(priceUsd, tokenUsd(prices, view.chain.wrappedNative.token))),
    marketCapUsd: volumeNumber(marketCap(priceUsd, supply.circulating, record.decimals)),
    fdvUsd: volumeNumber(fullyDiluted),
    holders: supply.holders,
    updatedAt: view.head.time,
  };
}
