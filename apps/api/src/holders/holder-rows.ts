import type { Hex } from '#libs/core/ids.js';
import { formatDecimal } from '#libs/core/money.js';
import { amountUsd } from '#libs/pipeline/fold/price-rule.js';
import { tokenUsd } from '#libs/pipeline/fold/token-values.js';
import type { Holder, HoldersAnswer } from '#libs/serve/contract/rest/holder-body.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readHolderKinds } from '#libs/serve/reader/holder-kinds.js';
import { readHolders } from '#libs/serve/reader/read-holders.js';
import { readPrices, readTokenRecords } from '#libs/serve/reader/read-prices.js';
import { sharePercent, tokenSupply } from '#libs/serve/reader/token-supply.js';
import { volumeNumber } from '../rows/display.js';

export interface HolderRows extends Pick<HoldersAnswer, 'complete' | 'holders'> {
  rows: Holder[];
  more: boolean;
}

/** Holders of a token, the largest first, as every answer shows them; null for an unknown token. */
export async function holderRows(
  view: ChainView,
  token: Hex,
  offset: number,
  limit: number,
): Promise<HolderRows | null> {
  const record = (await readTokenRecords(view, [token])).get(token);
  if (record === undefined) return null;
  const { rows, more, counts } = await readHolders(view, token, offset, limit);
  const wallets = rows.map(({ wallet }) => wallet);
  const [kinds, prices] = await Promise.all([readHolderKinds(view, wallets), readPrices(view, [token])]);
  const { total, holders } = tokenSupply(record, counts);
  const priceUsd = tokenUsd(prices, token);
  const { decimals } = record;
  const { ids } = view.chain;
  const shown = rows.map(({ wallet, amount, firstAt, lastAt }) => ({
    address: ids.formatAddress(wallet),
    kind: kinds.get(wallet)!,
    amount: formatDecimal(amount, decimals ?? 0),
    sharePercent: sharePercent(amount, total),
    valueUsd: volumeNumber(decimals === null || priceUsd === null ? null : amountUsd(amount, decimals, priceUsd)),
    firstAt,
    lastAt,
  }));
  return { rows: shown, more, complete: holders !== null, holders };
}
