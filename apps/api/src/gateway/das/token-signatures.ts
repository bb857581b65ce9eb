import type { Hex } from '#libs/core/ids.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import type { TradePlace } from '#libs/serve/reader/newest-trades.js';
import { readTrades } from '#libs/serve/reader/read-trades.js';

const STEP = 500;

/**
 * Transactions that traded a token, newest first, each once: `limit` of them after the first `skipped` below a place. `last`
 * is the oldest trade of the last one, where older transactions follow.
 */
export async function tokenSignatures(
  view: ChainView,
  token: Hex,
  from: TradePlace | null,
  skipped: number,
  limit: number,
): Promise<{ transactions: Hex[]; last: TradePlace | null }> {
  const transactions: Hex[] = [];
  let seen = 0;
  let newest: Hex | null = null;
  let place = from;
  for (;;) {
    const before = place === null ? {} : { before: { ...place } };
    const { trades, more } = await readTrades(view, { token, limit: STEP, ...before });
    for (const { tx, block, ordinal } of trades) {
      if (tx !== newest) {
        if (seen === skipped + limit) return { transactions, last: place };
        newest = tx;
        if (seen++ >= skipped) transactions.push(tx);
      }
      place = { block, ordinal };
    }
    if (!more) return { transactions, last: null };
  }
}
