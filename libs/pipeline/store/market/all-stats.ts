import { forEachYielding } from '#libs/core/for-each-yielding.js';
import type { Hex } from '#libs/core/ids.js';
import { type E18, formatDecimal, parseDecimal } from '#libs/core/money.js';
import { type QueryValue, SCAN } from '../store.js';
import { addedLoopUsd, addedUsd } from './candle-sql.js';
import { inPieces } from './id-pieces.js';
import type { MarketTables } from './market-tables.js';
import { type View, visible } from './view.js';

/**
 * Counts over the trades of every token at once. A trade is read once and counts for both of its tokens, for each from its
 * own side.
 */
export interface WindowCounts {
  volumeUsd: E18;
  /** Of trades that their block undid: in no other sum. */
  loopVolumeUsd: E18;
  trades: number;
  buys: number;
  buyers: number;
  sellers: number;
}

const COLUMNS = 6;

/** Counts as the engine wrote them: most tokens of a list are never looked at, and are not read. */
export class PackedCounts {
  private words: string[] | null = null;

  constructor(private readonly text: string) {}

  /** Of each window the counts of both. */
  static sum(a: PackedCounts, b: PackedCounts): PackedCounts {
    const windows = a.read().length / COLUMNS;
    const words: (string | number)[] = [];
    for (let window = 0; window < windows; window++) {
      const [of, more] = [a.of(window), b.of(window)];
      words.push(formatDecimal(of.volumeUsd + more.volumeUsd, 18), of.trades + more.trades, of.buys + more.buys);
      words.push(of.buyers + more.buyers, of.sellers + more.sellers);
      words.push(formatDecimal(of.loopVolumeUsd + more.loopVolumeUsd, 18));
    }
    return new PackedCounts(words.join(' '));
  }

  /** Whether no window has a trade. */
  get isEmpty(): boolean {
    const windows = this.read().length / COLUMNS;
    return Array.from({ length: windows }, (_, window) => this.of(window)).every(({ trades }) => trades === 0);
  }

  /** Of the window with that place among the times asked for. */
  of(window: number): WindowCounts {
    const words = this.read();
    const [usd, trades, buys, buyers, sellers, loops] = words.slice(window * COLUMNS) as [
      ...[string, string, string, string, string, string],
    ];
    return {
      ...{ volumeUsd: parseDecimal(usd, 18), loopVolumeUsd: parseDecimal(loops, 18) },
      ...{ trades: Number(trades), buys: Number(buys), buyers: Number(buyers), sellers: Number(sellers) },
    };
  }

  private read(): string[] {
    this.words ??= this.text.split(' ');
    return this.words;
  }
}

/** A wallet that bought, or sold, a token. */
export interface TokenWallet {
  token: Hex;
  bought: boolean;
  wallet: Hex;
}

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
      toString(uniqExactIf(wallet, ${inside} AND bought)), toString(uniqExactIf(wallet, ${inside} AND NOT bought)), toString(sumIf(loop_volume, ${inside}))`;
  });
  const found = await tables.store.query<{ id: string; counts: string }>(
    `SELECT lower(hex(token)) AS id, arrayStringConcat([${columns.join(', ')}], ' ') AS counts
     FROM (${bothSides(`${tables.database}.trades`, `time >= fromUnixTimestamp64Milli({first:Int64}, 'UTC') AND ${rows.sql}`)})
     GROUP BY token SETTINGS max_threads = 1`,
    params,
    SCAN,
  );
  return packed(found);
}

async function packed(found: readonly { id: Hex; counts: string }[]): Promise<Map<Hex, PackedCounts>> {
  const counts = new Map<Hex, PackedCounts>();
  await forEachYielding(found, (row) => counts.set(row.id, new PackedCounts(row.counts)));
  return counts;
}

/** Up to where counts are: trades of groups up to `seq`, in windows that begin at these times (Unix ms). */
export interface CountedTo {
  readonly seq: number;
  readonly fromTimes: readonly number[];
}

/**
 * What `allTokenStats` gives at the view from `fromTimes` on, less what it gave at `before`: of tokens for which they may differ. Only
 * trades that came and trades that windows have left since are looked for, and those of the same wallets with the same tokens, which say
 * whether a wallet still counts. Requires that the view sees all rows that were seen at `before`.
 */
export async function changedTokenStats(
  tables: MarketTables,
  view: View,
  before: CountedTo,
  fromTimes: readonly number[],
): Promise<Map<Hex, PackedCounts>> {
  const rows = visible(view);
  const params: Record<string, QueryValue> = { ...rows.params, seq_before: before.seq };
  const at = (name: string): string => `time >= fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`;
  const windows = fromTimes.map((fromTime, index) => {
    params[`start_${index}`] = fromTime;
    params[`before_${index}`] = before.fromTimes[index]!;
    const [now, start] = [at(`start_${index}`), at(`before_${index}`)];
    return { now, before: `(seq <= {seq_before:Int64} AND ${start})`, left: `(${start} AND NOT ${now})` };
  });
  params.first = Math.min(...before.fromTimes, ...fromTimes);
  const inside = `${at('first')} AND ${rows.sql}`;
  const changed = `${inside} AND (seq > {seq_before:Int64} OR ${windows.map(({ left }) => left).join(' OR ')})`;
  const ofPair = windows.flatMap((window, index) => [
    `sumIf(usd_volume, ${window.now}) - sumIf(usd_volume, ${window.before}) AS usd_${index}`,
    `sumIf(loop_volume, ${window.now}) - sumIf(loop_volume, ${window.before}) AS loop_${index}`,
    `toInt64(countIf(${window.now})) - toInt64(countIf(${window.before})) AS trades_${index}`,
    `toInt64(max(${window.now})) - toInt64(max(${window.before})) AS wallets_${index}`,
  ]);
  const ofToken = windows.flatMap((_, index) => [
    `toString(sum(usd_${index})), toString(sum(trades_${index})), toString(sumIf(trades_${index}, bought))`,
    `toString(sumIf(wallets_${index}, bought)), toString(sumIf(wallets_${index}, NOT bought)), toString(sum(loop_${index}))`,
  ]);
  const { database } = tables;
  const pairs = `SELECT token, bought, wallet FROM (${bothSides(`${database}.trades`, changed)})`;
  const wallets = `wallet IN (SELECT wallet FROM ${database}.trades WHERE ${changed})`;
  const found = await tables.store.query<{ id: string; counts: string }>(
    `SELECT lower(hex(token)) AS id, arrayStringConcat([${ofToken.join(', ')}], ' ') AS counts
     FROM (
       SELECT token, bought, wallet, ${ofPair.join(', ')}
       FROM (${bothSides(`${database}.trades_by_wallet`, `${wallets} AND ${inside}`)})
       WHERE (token, bought, wallet) IN (${pairs}) GROUP BY token, bought, wallet
     )
     GROUP BY token SETTINGS max_threads = 1`,
    params,
    SCAN,
  );
  return packed(found);
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
       `${tables.database}.trades_by_wallet`,
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
    SCAN,
  );
  return rowsOf.map((row) => ({
    token: row.token_hex,
    wallet: row.wallet_hex,
    bought: row.bought === 1,
    time: Number(row.ms),
  }));
}

/** Two rows a trade, one for each of its tokens. */
function bothSides(table: string, condition: string): string {
  return `
    SELECT arrayJoin([(base, side = 'buy'), (quote, side = 'sell')]) AS seen, seen.1 AS token, seen.2 AS bought, seq, time, wallet,
      ${addedUsd}, ${addedLoopUsd}
    FROM ${table} WHERE ${condition}`;
}
