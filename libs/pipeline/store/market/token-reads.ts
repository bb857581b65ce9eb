import { byId } from '#libs/core/by-id.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord, TokenRecord } from '#libs/protocol/blocks.js';
import type { SetApart } from '#libs/protocol/facts.js';
import type { MarketTables } from './market-tables.js';
import { newestRows, ofIds, POINT_READ } from './newest-rows.js';
import { before } from './price-reads.js';
import { type View, visible } from './view.js';

/** A token's metadata and the block in which it became known. */
export interface TokenRow extends TokenRecord {
  seq: number;
  block: number;
  time: number;
}

/** A pool, the block in which it became known, and its newest state. */
export interface PoolRow extends PoolRecord {
  seq: number;
  block: number;
  time: number;
  state: PoolStateRow | null;
}

/** Pools of one token in the order in which they became known, the oldest first. */
export interface PoolsOfToken {
  readonly rows: PoolRow[];
  /** There are more than could be asked for: these are the first. */
  readonly more: boolean;
}

export interface PoolStateRow {
  seq: number;
  block: number;
  time: number;
  reserve0: bigint;
  reserve1: bigint;
  concentrated: { sqrtPriceX96: bigint; tick: number; liquidity: bigint } | null;
  anchored: boolean;
  setApart: SetApart | null;
}

/** Metadata of each token that is known. */
export async function tokens(tables: MarketTables, view: View, ids: readonly Hex[]): Promise<TokenRow[]> {
  const table = { table: 'tokens', key: 'token', columns: tokenColumns, long: false };
  return (await newestRows<StoredToken>(tables, table, visible(view), ids)).map(readToken);
}

/** Tokens in the order in which they became known, the newest first. */
export async function knownTokens(tables: MarketTables, view: View, limit: number): Promise<TokenRow[]> {
  const rows = visible(view);
  const found = await tables.store.query<StoredToken>(
    `SELECT ${tokenColumns} FROM ${tables.database}.tokens WHERE ${rows.sql}
     ORDER BY seq DESC, token_hex LIMIT 1 BY token_hex LIMIT {limit:UInt32} SETTINGS max_threads = 1`,
    { ...rows.params, limit },
  );
  return found.map(readToken);
}

/** Pools of each token with their newest states: all where there are no more than `limit`, else the first `shown`. */
export async function poolsOfTokens(
  tables: MarketTables,
  view: View,
  ids: readonly Hex[],
  limit = 500,
  shown = limit,
): Promise<Map<Hex, PoolsOfToken>> {
  const found = await placedPools(tables, view, ids, limit + 1);
  const isCut = (id: Hex): boolean => (found.get(id)?.length ?? 0) > limit;
  const kept = new Map(ids.map((id) => [id, (found.get(id) ?? []).slice(0, isCut(id) ? shown : limit)]));
  const states = await poolStates(
    tables,
    view,
    [...kept.values()].flat().map(({ pool }) => pool),
  );
  const withState = (pool: PlacedPool): PoolRow => ({ ...pool, state: states.get(pool.pool) ?? null });
  return new Map([...kept].map(([id, pools]) => [id, { rows: pools.map(withState), more: isCut(id) }]));
}

type PlacedPool = Omit<PoolRow, 'state'>;
type TokensPool = StoredPool & { of_hex: string };

async function placedPools(
  tables: MarketTables,
  view: View,
  ids: readonly Hex[],
  limit: number,
): Promise<Map<string, PlacedPool[]>> {
  const rows = visible(view);
  const tokens = ofIds('token', ids);
  const columns = `lower(hex(token)) AS of_hex, ${poolColumns}`;
  const from = `FROM ${tables.database}.pools_by_token WHERE ${tokens.sql} AND ${rows.sql}`;
  const most = tables.fewRows * ids.length;
  let found = await tables.store.query<TokensPool>(
    `SELECT ${columns} ${from} ORDER BY token, pool, seq LIMIT {most:UInt32} ${POINT_READ}`,
    { ...rows.params, ...tokens.params, most },
  );
  if (found.length === most) {
    // A coin has a million pools: which are the first is found from few columns.
    found = await tables.store.query<TokensPool>(
      `SELECT ${columns} ${from} AND (token, pool) IN (
         SELECT token, pool ${from} GROUP BY token, pool ORDER BY token, max(seq), pool LIMIT {limit:UInt32} BY token)
       ORDER BY token, pool, seq SETTINGS max_threads = 1`,
      { ...rows.params, ...tokens.params, limit },
    );
  }
  const lists = byId(found, ({ of_hex }) => of_hex);
  return new Map([...lists].map(([token, list]) => [token, firstPools(list, limit)]));
}

/** The newest row of each pool, in the order in which they became known. */
function firstPools(rows: readonly StoredPool[], limit: number): PlacedPool[] {
  const newest = new Map(rows.map((row) => [row.pool_hex, readPool(row)]));
  return [...newest.values()].sort((a, b) => a.seq - b.seq || (a.pool < b.pool ? -1 : 1)).slice(0, limit);
}

/** Each pool that is known, without its state. */
export async function poolRecords(
  tables: MarketTables,
  view: View,
  ids: readonly Hex[],
): Promise<Omit<PoolRow, 'state'>[]> {
  const table = { table: 'pools', key: 'pool', columns: poolColumns, long: false };
  return (await newestRows<StoredPool>(tables, table, visible(view), ids)).map(readPool);
}

/** Newest visible state of each pool that has one, or the newest of a block before `beforeTime` (Unix ms). */
export async function poolStates(
  tables: MarketTables,
  view: View,
  pools: readonly Hex[],
  beforeTime?: number,
): Promise<Map<Hex, PoolStateRow>> {
  const table = { table: 'pool_states', key: 'pool', columns: stateColumns, long: true };
  const found = await newestRows<StoredState>(tables, table, before(visible(view), beforeTime), pools);
  return new Map(found.map((row) => [row.pool_hex, readState(row)]));
}

const tokenColumns = `seq, block, toUnixTimestamp64Milli(time) AS ms, lower(hex(token)) AS token_hex, decimals, symbol, name,
  total_supply`;

const poolColumns = `seq, block, toUnixTimestamp64Milli(time) AS ms, lower(hex(pool)) AS pool_hex, venue, kind,
  lower(hex(token0)) AS token0_hex, lower(hex(token1)) AS token1_hex, fee_ppm, tick_spacing, created`;

const stateColumns = `lower(hex(pool)) AS pool_hex, seq, block, toUnixTimestamp64Milli(time) AS ms, reserve0, reserve1,
  concentrated, sqrt_price_x96, tick, liquidity, anchored, set_apart`;

type StoredPlace = Record<'seq' | 'block' | 'ms', string>;

type StoredToken = StoredPlace & {
  token_hex: string;
  decimals: number | null;
  symbol: string | null;
  name: string | null;
  total_supply: string | null;
};

type StoredPool = StoredPlace & {
  pool_hex: string;
  venue: string;
  kind: PoolRecord['kind'];
  token0_hex: string;
  token1_hex: string;
  fee_ppm: number;
  tick_spacing: number;
  created: boolean;
};

type StoredState = StoredPlace & {
  pool_hex: string;
  reserve0: string;
  reserve1: string;
  concentrated: boolean;
  sqrt_price_x96: string;
  tick: number;
  liquidity: string;
  anchored: boolean;
  set_apart: SetApart | '';
};

function readPlace({ seq, block, ms }: StoredPlace) {
  return { seq: Number(seq), block: Number(block), time: Number(ms) };
}

function readToken(row: StoredToken): TokenRow {
  const { token_hex, decimals, symbol, name, total_supply } = row;
  const totalSupply = total_supply === null ? null : BigInt(total_supply);
  return { ...readPlace(row), token: token_hex, decimals, symbol, name, totalSupply };
}

function readPool(row: StoredPool): Omit<PoolRow, 'state'> {
  return {
    ...readPlace(row),
    pool: row.pool_hex,
    venue: row.venue,
    kind: row.kind,
    token0: row.token0_hex,
    token1: row.token1_hex,
    feePpm: row.fee_ppm,
    tickSpacing: row.tick_spacing,
    created: row.created,
  };
}

function readState(row: StoredState): PoolStateRow {
  const { sqrt_price_x96, tick, liquidity } = row;
  return {
    ...readPlace(row),
    reserve0: BigInt(row.reserve0),
    reserve1: BigInt(row.reserve1),
    concentrated: row.concentrated
      ? { sqrtPriceX96: BigInt(sqrt_price_x96), tick, liquidity: BigInt(liquidity) }
      : null,
    anchored: row.anchored,
    setApart: row.set_apart === '' ? null : row.set_apart,
  };
}
