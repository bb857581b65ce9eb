import type { Hex } from '#libs/core/ids.js';
import { type E18, parseDecimal } from '#libs/core/money.js';
import type { QueryValue } from '../store.js';
import { inPieces } from './id-pieces.js';
import type { MarketTables } from './market-tables.js';
import { type View, visible } from './view.js';

/**
 * Counts over the trades of every token at once. A trade is read once and counts for both of its tokens, for each from its
 * own side.
 */
export interface WindowCounts {
  volumeUsd: E18;
  trades: number;
  buys: number;
  buyers: number;
  sellers: number;
}

const COLUMNS = 5;

/** Counts as the engine wrote them: most tokens of a list are never looked at, and are not read. */
export class PackedCounts {
  private words: string[] | null = null;

  constructor(private readonly text: string) {}

  /** Of the window with that place among the times asked for. */
  of(window: number): WindowCounts {
    this.words ??= this.text.split(' ');
    const [usd, trades, buys, buyers, sellers] = this.words.slice(window * COLUMNS) as [
      ...[string, string, string, string, string],
    ];
    return {
      volumeUsd: parseDecimal(usd, 18),
      ...{ trades: Number(trades), buys: Number(buys), buyers: Number(buyers), sellers: Number(sellers) },
    };
  }
}

/** A wallet that bought, or sold, a token. */
export interface TokenWallet {
  token: Hex;
  bought: boolean;
  wallet: Hex;
}

const MOST_SECONDS = 120;

/** Tokens that were traded at or after the earliest of the times, each with its counts from each of the times on. */
export async function allTokenStats(
  tables: MarketTables,
  view: View,
  fromTimes: readonly number[],
): Promise<Map<Hex, PackedCounts>> {
  const rows = visible(view);
  const params: Record<string, QueryValue> = { ...rows.params, first: Math.min(...fromTimes) };
  const columns = fromTimes.map((fromTime, index) => {
    params[`start_${index}`] = fromTime;
    const inside = `time >= fromUnixTimestamp64Milli({start_${index}:Int64}, 'UTC')`;
    return `toString(sumIf(usd_volume, ${inside})), toString(countIf(${inside})), toString(countIf(bought AND ${inside})),
      toString(uniqExactIf(wallet, ${inside} AND bought)), toString(uniqExactIf(wallet, ${inside} AND NOT bought))`;
  });
  const found = await tables.store.query<{ id: string; counts: string }>(
    `SELECT lower(hex(token)) AS id, arrayStringConcat([${columns.join(', ')}], ' ') AS counts
     FROM (${bothSides(tables.database, `time >= fromUnixTimestamp64Milli({first:Int64}, 'UTC') AND ${rows.sql}`)})
     GROUP BY token SETTINGS max_threads = 1`,
    params,
    { maxSeconds: MOST_SECONDS },
  );
  return new Map(found.map(({ id, counts }) => [id, new PackedCounts(counts)]));
}

/** When each of the wallets last did so at or after a time (Unix ms); those that did not are left out. */
export const lastTradesOf = (
  tables: MarketTables,
  view: View,
  fromTime: number,
  wallets: readonly TokenWallet[],
): Promise<(TokenWallet & { time: number })[]> =>
  inPieces(wallets, (piece) => lastTrades(tables, view, fromTime, piece));

async function lastTrades(
  tables: MarketTables,
  view: View,
  fromTime: number,
  wallets: readonly TokenWallet[],
): Promise<(TokenWallet & { time: number })[]> {
  const rows = visible(view);
  const rowsOf = await tables.store.query<{ token_hex: string; wallet_hex: string; bought: number; ms: string }>(
    `SELECT lower(hex(token)) AS token_hex, lower(hex(wallet)) AS wallet_hex, toUInt8(bought) AS bought,
       toUnixTimestamp64Milli(max(time)) AS ms
     FROM (${bothSides(
       tables.database,
       `time >= fromUnixTimestamp64Milli({first:Int64}, 'UTC') AND ${rows.sql}
        AND wallet IN (SELECT unhex(arrayJoin({wallets:Array(String)})))`,
     )})
     WHERE (token, wallet) IN (
       SELECT unhex(t), unhex(w) FROM (SELECT {tokens:Array(String)} AS ts, {wallets:Array(String)} AS ws)
       ARRAY JOIN ts AS t, ws AS w
     )
     GROUP BY token, wallet, bought SETTINGS max_threads = 1`,
    {
      ...rows.params,
      first: fromTime,
      tokens: wallets.map(({ token }) => token),
      wallets: wallets.map(({ wallet }) => wallet),
    },
    { maxSeconds: MOST_SECONDS },
  );
  return rowsOf.map((row) => ({
    token: row.token_hex,
    wallet: row.wallet_hex,
    bought: row.bought === 1,
    time: Number(row.ms),
  }));
}

/** Two rows a trade, one for each of its tokens. A trade without a value adds nothing to volumes. */
function bothSides(database: string, condition: string): string {
  return `
    SELECT arrayJoin([(base, side = 'buy'), (quote, side = 'sell')]) AS seen, seen.1 AS token, seen.2 AS bought, time, wallet,
      toDecimal256(ifNull(volume_usd, toDecimal128(0, 18)), 18) AS usd_volume
    FROM ${database}.trades WHERE ${condition}`;
}
