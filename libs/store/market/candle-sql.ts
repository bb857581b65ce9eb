/** How trades become candles, in SQL. One definition for seals and reads. */

/** Intervals whose closed buckets are stored, in seconds. All others are derived from the largest that divides them. */
export const storedIntervals = [60, 3_600, 86_400] as const;

/**
 * One row for each trade and side: `token`, block, ordinal, time and wallet, the price where the trade may move the token's
 * candles (only the base token's, and only when counted), and what it adds to volumes and counts. `condition` is
 * applied inside both halves and may use any column of `trades`; `base` and `quote` select the token's half.
 */
export function tradeSides(database: string, condition: { base: string; quote: string }): string {
  const volumes = `toDecimal256(ifNull(volume_usd, toDecimal128(0, 18)), 18) AS usd, toDecimal256(ifNull(volume_coin, toDecimal128(0, 18)), 18) AS coin`;
  return `
    SELECT base AS token, block, ordinal, time, wallet, if(counted, price_usd, NULL) AS price, ${volumes}, side = 'buy' AS bought
    FROM ${database}.trades WHERE ${condition.base}
    UNION ALL
    SELECT quote AS token, block, ordinal, time, wallet, CAST(NULL AS Nullable(Decimal(76, 36))) AS price, ${volumes}, side = 'sell' AS bought
    FROM ${database}.trades_by_quote WHERE ${condition.quote}`;
}

/** Aggregates of `tradeSides` rows, in the order of the candles table's columns from `open` on. */
export const candleOfTrades = `
    argMinIf(price, (block, ordinal), price IS NOT NULL) AS open,
    max(price) AS high,
    min(price) AS low,
    argMaxIf(price, (block, ordinal), price IS NOT NULL) AS close,
    sum(usd) AS volume_usd,
    sum(coin) AS volume_coin,
    count() AS trades,
    countIf(bought) AS buys,
    countIf(NOT bought) AS sells,
    max(block) AS close_block`;
