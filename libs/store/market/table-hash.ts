import type { MarketTables } from './market-tables.js';
import { type View, visible } from './view.js';

export interface TableHashOptions {
  /**
   * Compare the result of two histories and not how it came about: no `seq`, and of states and prices only the newest
   * of each key without its place. Rows that a retraction wrote to restore a state then count as the state they
   * restore.
   */
  ignoreSeq?: boolean;
}

/**
 * One hash a table over the rows that a view sees, whatever their order: the number of rows and the sum of a 128-bit
 * hash of each. Candles count in their newest sealed versions for buckets that end at or before the view's sealedTime.
 */
export async function tableHashes(
  tables: MarketTables,
  view: View,
  options: TableHashOptions = {},
): Promise<Record<string, string>> {
  const rows = visible(view);
  const selections = options.ignoreSeq ? outcomes(tables.database, rows.sql) : histories(tables.database, rows.sql);
  const params = { ...rows.params, seal_seq: view.sealSeq, sealed_time: view.sealedTime };
  const hashes: Record<string, string> = {};
  for (const [table, selection] of Object.entries({ ...selections, candles: candles(tables.database) })) {
    const [found] = await tables.store.query<{ rows: string; hash: string }>(
      `SELECT count() AS rows, lower(hex(sum(reinterpretAsUInt128(sipHash128(toString(content)))))) AS hash FROM (${selection})`,
      params,
      { maxSeconds: 600 },
    );
    hashes[table] = `${found!.rows}:${found!.hash}`;
  }
  return hashes;
}

const tradeContent = `block, time, ordinal, hex(tx), tx_ordinal, hex(wallet), hex(pool), venue, hex(base), hex(quote), base_decimals,
  quote_decimals, side, base_amount, quote_amount, price_usd, coin_usd, volume_usd, volume_coin, counted`;
const transferContent = 'block, time, ordinal, hex(tx), hex(token), hex(from_wallet), hex(to_wallet), amount';
const tokenContent = 'block, time, hex(token), decimals, symbol, name, total_supply';
const poolContent = 'block, time, hex(pool), venue, kind, hex(token0), hex(token1), fee_ppm, tick_spacing, created';
const blockContent = 'block, time, hex(hash), hex(parent)';
const stateContent = 'reserve0, reserve1, concentrated, sqrt_price_x96, tick, liquidity, anchored';

function all(database: string, table: string, condition: string, content: string): string {
  return `SELECT (${content}) AS content FROM ${database}.${table} WHERE ${condition}`;
}

/** Every visible row of every journal and copy, in full. */
function histories(database: string, condition: string): Record<string, string> {
  const journal = (table: string, content: string) => all(database, table, condition, `seq, ${content}`);
  return {
    blocks: journal('blocks', blockContent),
    retractions: all(database, 'retractions', 'seq <= {view_seq:Int64}', 'seq, block, time, hex(hash), from_seq'),
    tokens: journal('tokens', tokenContent),
    pools: journal('pools', poolContent),
    pools_by_token: journal('pools_by_token', `hex(token), ${poolContent}`),
    pool_states: journal('pool_states', `block, time, hex(pool), ${stateContent}, ticks, ticks_complete`),
    prices: journal('prices', 'block, time, hex(token), hex(pool), hex(quote), spot, level'),
    reference_prices: journal('reference_prices', 'block, time, hex(token), usd'),
    trades: journal('trades', tradeContent),
    trades_by_quote: journal('trades_by_quote', tradeContent),
    transfers: journal('transfers', transferContent),
  };
}

/** What the visible history leaves: rows of surviving blocks, and of states, ticks and prices the newest of each key. */
function outcomes(database: string, condition: string): Record<string, string> {
  const journal = (table: string, content: string) => all(database, table, condition, content);
  return {
    blocks: journal('blocks', blockContent),
    tokens: journal('tokens', tokenContent),
    pools: journal('pools', poolContent),
    pools_by_token: journal('pools_by_token', `hex(token), ${poolContent}`),
    pool_states: `
      SELECT (hex(pool), argMax((${stateContent}), seq)) AS content FROM ${database}.pool_states
      WHERE ${condition} AND ${knownPool(database, condition)} GROUP BY pool`,
    pool_ticks: poolTicks(database, condition),
    prices: `
      SELECT content FROM (
        SELECT argMax((hex(token), hex(pool), hex(quote), spot, level), seq) AS content, argMax(spot IS NULL, seq) AS unpriced
        FROM ${database}.prices WHERE ${condition} GROUP BY token)
      WHERE NOT unpriced`,
    reference_prices: `
      SELECT (hex(token), usd) AS content FROM ${database}.reference_prices
      WHERE usd IS NOT NULL AND seq = (SELECT max(seq) FROM ${database}.reference_prices WHERE ${condition}) AND ${condition}`,
    trades: journal('trades', tradeContent),
    trades_by_quote: journal('trades_by_quote', tradeContent),
    transfers: journal('transfers', transferContent),
  };
}

/** A retraction takes a pool's rows with it when the pool is unknown again; the state it may leave is no outcome. */
function knownPool(database: string, condition: string): string {
  return `pool IN (SELECT pool FROM ${database}.pools WHERE ${condition})`;
}

/** The ticks of every pool, replayed from the last complete list on; a tick with no gross liquidity is gone. */
function poolTicks(database: string, condition: string): string {
  return `
    SELECT (hex(pool), index, argMax((gross, net), seq)) AS content
    FROM (
      SELECT pool, seq, entry.1 AS index, entry.2 AS gross, entry.3 AS net
      FROM ${database}.pool_states ARRAY JOIN ticks AS entry
      WHERE ${condition} AND ${knownPool(database, condition)}
    ) AS changes
    LEFT JOIN (
      SELECT pool, max(seq) AS complete_seq FROM ${database}.pool_states WHERE ticks_complete AND ${condition} GROUP BY pool
    ) AS complete USING (pool)
    WHERE seq >= complete_seq
    GROUP BY pool, index
    HAVING argMax(gross, seq) > 0`;
}

function candles(database: string): string {
  return `
    SELECT (interval, hex(token), bucket, open, high, low, close, volume_usd, volume_coin, trades, buys, sells, close_block) AS content
    FROM (
      SELECT * FROM ${database}.candles
      WHERE seal_seq <= {seal_seq:Int64} AND (toInt64(bucket) + interval) * 1000 <= {sealed_time:Int64}
      ORDER BY interval, token, bucket, seal_seq DESC LIMIT 1 BY interval, token, bucket
    )
    WHERE trades > 0`;
}
