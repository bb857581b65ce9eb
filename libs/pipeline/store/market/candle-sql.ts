/** How trades become candles, in SQL. One definition for seals and reads. */

/** Intervals whose closed buckets are stored, in seconds. All others are derived from the largest that divides them. */
export const storedIntervals = [60, 3_600, 86_400] as const;

/** A condition on a journal's rows: their block's time is in [from, to), two parameters in Unix ms. */
export function inTime(from: string, to: string): string {
  return `time >= fromUnixTimestamp64Milli({${from}:Int64}, 'UTC') AND time < fromUnixTimestamp64Milli({${to}:Int64}, 'UTC')`;
}

const added = (column: string, condition: string, name: string): string =>
  `toDecimal256(if(${condition}, ifNull(${column}, toDecimal128(0, 18)), toDecimal128(0, 18)), 18) AS ${name}`;

/** Whether a block undid its trade: not where the table has no such column, since those of another fold version keep their schema. */
const UNDONE = "coalesce(COLUMNS('^uncounted$'), '') = 'reverted'";

/** What a row of `trades` adds to sums, as `volumesOf` says it. */
export const addedUsd = added('volume_usd', `NOT (${UNDONE})`, 'usd_volume');
export const addedLoopUsd = added('volume_usd', UNDONE, 'loop_volume');
const addedVolumes = [addedUsd, added('volume_coin', `NOT (${UNDONE})`, 'coin_volume'), addedLoopUsd].join(', ');

/**
 * One row for each trade seen from one of its sides: its `token`, place and wallet, the price where the trade may move
 * the token's candles (only the base token's, and only when counted), what it adds to volumes, and whether the token
 * was bought.
 */
function tradeSide(database: string, side: 'base' | 'quote', condition: string): string {
  const [table, price, bought] =
    side === 'base'
      ? ['trades', 'if(counted, price_usd, NULL)', "side = 'buy'"]
      : ['trades_by_quote', 'CAST(NULL AS Nullable(Decimal(76, 36)))', "side = 'sell'"];
  return `
    SELECT ${side} AS token, block, ordinal, time, wallet, ${price} AS price, ${bought} AS bought,
      ${addedVolumes}
    FROM ${database}.${table} WHERE ${condition}`;
}

/** The rows of both sides. The conditions may use any column of `trades`. */
export function tradeSides(database: string, condition: { base: string; quote: string }): string {
  return `${tradeSide(database, 'base', condition.base)} UNION ALL ${tradeSide(database, 'quote', condition.quote)}`;
}

/** A candle of a group of `tradeSide` rows. */
export const candleOfTrades = `
      argMinIf(price, (block, ordinal), price IS NOT NULL) AS first_price, max(price) AS high_price, min(price) AS low_price,
      argMaxIf(price, (block, ordinal), price IS NOT NULL) AS last_price, sum(usd_volume) AS usd, sum(coin_volume) AS coin,
      sum(loop_volume) AS loop_usd,      count() AS trade_count, countIf(bought) AS buy_count, max(block) AS last_block`;
