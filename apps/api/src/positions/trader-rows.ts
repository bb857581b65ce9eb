import type { Hex } from '#libs/core/ids.js';
import { tokenUsd } from '#libs/pipeline/fold/token-values.js';
import type { PositionRow } from '#libs/serve/contract/rest/profit-body.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readTraders } from '#libs/serve/reader/read-positions.js';
import { readPrices, readTokenRecords } from '#libs/serve/reader/read-prices.js';
import { positionRow, valuationOfToken } from '../rows/profit-rows.js';

/** Who traded a token, the largest realised profit first, as every answer shows them; null for an unknown token. */
export async function traderRows(
  view: ChainView,
  token: Hex,
  offset: number,
  limit: number,
): Promise<{ rows: PositionRow[]; more: boolean } | null> {
  const record = (await readTokenRecords(view, [token])).get(token);
  if (record === undefined) return null;
  const [prices, { rows, more, unknown }] = await Promise.all([
    readPrices(view, [token]),
    readTraders(view, token, offset, limit),
  ]);
  const valuation = valuationOfToken(record, tokenUsd(prices, token), view.head.time);
  const shown = rows.map((position) =>
    positionRow(
      view.chain,
      position.wallet,
      { position, amount: unknown === null ? position.amount : null, unknown },
      valuation,
    ),
  );
  return { rows: shown, more };
}
