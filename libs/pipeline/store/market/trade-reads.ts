import type { Hex } from '#libs/core/ids.js';
import { type E18, formatDecimal, parseDecimal } from '#libs/core/money.js';
import type { TradeFact, Uncounted } from '#libs/protocol/facts.js';
import type { QueryValue } from '../store.js';
import type { MarketTables } from './market-tables.js';
import { type View, visible } from './view.js';

/** A stored trade: the fact and the block it is in. `side`, base and quote are as stored, whichever token was asked for. */
export interface TradeRow extends TradeFact {
  seq: number;
  block: number;
  /** Unix ms of the block. */
  time: number;
}

export type TradesQuery = TradesOf & ({ token: Hex } | { wallet: Hex });

interface TradesOf {
  /** Trades where it is base or quote. */
  token?: Hex;
  pool?: Hex;
  wallet?: Hex;
  /** From the token's view; without a token from that of the base token. */
  side?: 'buy' | 'sell';
  /** Least value; a trade without one has none. */
  minUsd?: E18;
  /** Unix ms, inclusive. */
  fromTime?: number;
  /** Unix ms, exclusive. */
  toTime?: number;
  /** Only trades before this place in the chain. */
  before?: { block: number; ordinal: number };
  limit: number;
}

/** More than a column holds: as a bound it lets nothing through. */
const MOST_USD: E18 = 10n ** 60n;

/** Tables of another fold version keep their schema: without the column they say only whether. */
export const WHY_UNCOUNTED = "coalesce(COLUMNS('^uncounted$'), if(counted, '', 'unknown')) AS why";

/** The same: empty where it is not known. */
const SENDER = "lower(hex(coalesce(COLUMNS('^sender$'), ''))) AS sender_hex";

const columns = `seq, block, toUnixTimestamp64Milli(time) AS ms, ordinal, lower(hex(tx)) AS tx_hex, tx_ordinal,
  lower(hex(wallet)) AS wallet_hex, ${SENDER}, lower(hex(pool)) AS pool_hex, venue, lower(hex(base)) AS base_hex, lower(hex(quote)) AS quote_hex,
  base_decimals, quote_decimals, side, base_amount, quote_amount, price_usd, coin_usd, volume_usd, volume_coin, ${WHY_UNCOUNTED}`;

/**
 * Newest first. Each part reads its own table backwards in key order and stops at the limit; the newest of all count. Trades of a
 * wallet are one part, those of a token two.
 */
export async function tradesPage(tables: MarketTables, view: View, query: TradesQuery): Promise<TradeRow[]> {
  const { database, store } = tables;
  const { token, wallet } = query;
  const filter = tradeFilter(view, query);
  const part = (table: string, condition: string) =>
    store.query<StoredTrade>(
      `SELECT ${columns} FROM ${database}.${table} WHERE ${condition} AND ${filter.sql}${sideFilter(query)}
       ORDER BY block DESC, ordinal DESC LIMIT {limit:UInt32} SETTINGS max_threads = 1`,
      { ...filter.params, ...(token !== undefined && { token }), limit: query.limit },
    );
  const base = 'base = unhex({token:String})';
  const quote = 'quote = unhex({token:String})';
  const parts =
    wallet === undefined
      ? [part('trades', base), part('trades_by_quote', quote)]
      : [part('trades_by_wallet', token === undefined ? 'true' : `(${base} OR ${quote})`)];
  return (await Promise.all(parts))
    .flatMap((rows) => rows.map(readTrade))
    .sort((a, b) => b.block - a.block || b.ordinal - a.ordinal)
    .slice(0, query.limit);
}

/** The side of a trade is stored as its base token sees it. */
function sideFilter({ side, token }: TradesQuery): string {
  if (side === undefined) return '';
  if (token === undefined) return ` AND side = '${side}'`;
  return ` AND (side = '${side}') = (base = unhex({token:String}))`;
}

function tradeFilter(view: View, query: TradesQuery) {
  const { sql, params } = visible(view);
  const parts = [sql];
  const bound: Record<string, QueryValue> = { ...params };
  if (query.pool !== undefined) {
    parts.push('pool = unhex({pool:String})');
    bound.pool = query.pool;
  }
  if (query.wallet !== undefined) {
    parts.push('wallet = unhex({wallet:String})');
    bound.wallet = query.wallet;
  }
  if (query.minUsd !== undefined) {
    parts.push('volume_usd >= toDecimal256({min_usd:String}, 18)');
    bound.min_usd = formatDecimal(query.minUsd < MOST_USD ? query.minUsd : MOST_USD, 18);
  }
  if (query.fromTime !== undefined) {
    parts.push("time >= fromUnixTimestamp64Milli({from_time:Int64}, 'UTC')");
    bound.from_time = query.fromTime;
  }
  if (query.toTime !== undefined) {
    parts.push("time < fromUnixTimestamp64Milli({to_time:Int64}, 'UTC')");
    bound.to_time = query.toTime;
  }
  if (query.before !== undefined) {
    parts.push(
      'block <= {before_block:UInt64} AND (block, ordinal) < ({before_block:UInt64}, {before_ordinal:UInt32})',
    );
    bound.before_block = query.before.block;
    bound.before_ordinal = query.before.ordinal;
  }
  return { sql: parts.join(' AND '), params: bound };
}

type StoredTrade = Record<
  | 'seq'
  | 'block'
  | 'ms'
  | `${'tx' | 'wallet' | 'sender' | 'pool' | 'base' | 'quote'}_hex`
  | 'venue'
  | 'why'
  | 'base_amount'
  | 'quote_amount',
  string
> &
  Record<'ordinal' | 'tx_ordinal' | 'base_decimals' | 'quote_decimals', number> &
  Record<'price_usd' | 'coin_usd' | 'volume_usd' | 'volume_coin', string | null> & {
    side: 'buy' | 'sell';
  };

function readTrade(row: StoredTrade): TradeRow {
  return {
    seq: Number(row.seq),
    block: Number(row.block),
    time: Number(row.ms),
    ordinal: row.ordinal,
    txOrdinal: row.tx_ordinal,
    tx: row.tx_hex,
    wallet: row.wallet_hex,
    sender: row.sender_hex || null,
    pool: row.pool_hex,
    venue: row.venue,
    base: row.base_hex,
    quote: row.quote_hex,
    baseDecimals: row.base_decimals,
    quoteDecimals: row.quote_decimals,
    side: row.side,
    baseAmount: BigInt(row.base_amount),
    quoteAmount: BigInt(row.quote_amount),
    priceUsd: scaled(row.price_usd, 36),
    coinUsd: scaled(row.coin_usd, 36),
    volumeUsd: scaled(row.volume_usd, 18),
    volumeCoin: scaled(row.volume_coin, 18),
    uncounted: readUncounted(row.why),
  };
}

/** Empty for a counted trade. */
export const readUncounted = (why: string): TradeRow['uncounted'] => (why === '' ? null : (why as Uncounted));

/** A decimal as the engine writes it, or null, as the scaled integer that code works with. */
export function scaled(text: string | null, scale: number): bigint | null {
  return text === null ? null : parseDecimal(text, scale);
}
