import type { Hex } from '#libs/core/ids.js';
import type { E18, E36 } from '#libs/core/money.js';
import { inCoin, marketCap } from '#libs/pipeline/fold/price-rule.js';
import { poolLiquidityUsd, type TokenWorth, tokenUsd, valuesOver } from '#libs/pipeline/fold/token-values.js';
import { launches } from '#libs/pipeline/projections/launches/projection.js';
import type { PoolRecord, TokenRecord } from '#libs/protocol/blocks.js';
import type { PoolStateFact, SetApart } from '#libs/protocol/facts.js';
import type { ChainView } from './chain-view.js';
import { readHolderCounts } from './read-holders.js';
import { readKeyed } from './read-keyed.js';
import { readPrices, readTokenRecords } from './read-prices.js';
import { readStats, type StatsWindowName, type TokenWindow } from './read-stats.js';
import { type TokenOrigin, tokenOrigin } from './token-launch.js';
import { readSafety, type TokenSafety } from './token-safety.js';
import { type TokenSupply, tokenSupply } from './token-supply.js';

export interface TokenPoolState {
  pool: PoolRecord;
  /** The other token of the pool and what is known of it. */
  other: Hex;
  otherRecord: TokenRecord | null;
  liquidityUsd: E18 | null;
  /** Why what the log says of the pool cannot be: it has no liquidity then; null where it can. */
  setApart: SetApart | null;
  /** Time of its creation when that was seen; null when the pool is older than the index. */
  createdAt: number | null;
}

export interface TokenState {
  record: TokenRecord;
  supply: TokenSupply;
  origin: TokenOrigin;
  priceUsd: E36 | null;
  priceCoin: E36 | null;
  worth: TokenWorth;
  /** Price times total supply. */
  fullyDilutedUsd: E18 | null;
  /** Deepest first. */
  pools: TokenPoolState[];
  /** Sum over all pools; null when none is valued, or when there are more than can be summed here. */
  liquidityUsd: E18 | null;
  stats: Record<StatsWindowName, TokenWindow>;
  safety: TokenSafety;
}

/** A token in more pools than this shows no sum: a partial one would be wrong. */
export const MOST_POOLS = 5_000;
/** Of such a token those that were known first are valued, and shown. */
const VALUED_OF_MANY = 200;

/** Everything the chain's facts say of a token at a view, or null when no block named it. */
export async function readToken(view: ChainView, token: Hex): Promise<TokenState | null> {
  const record = (await readTokenRecords(view, [token])).get(token);
  if (record === undefined) return null;
  const [stats, placed, counts, launched] = await Promise.all([
    readStats(view, token),
    readPools(view, token),
    readHolderCounts(view, [token]),
    readKeyed(view, launches, { token: { is: token } }),
  ]);
  const supply = tokenSupply(record, counts.get(token));
  const origin = tokenOrigin(launched[0], counts.get(token));
  const [{ pools, lookup }, safety] = await Promise.all([
    valuePools(view, token, placed.shown),
    readSafety(view, token, { supply, origin }),
  ]);
  const priceUsd = tokenUsd(lookup, token);
  const coinUsd = tokenUsd(lookup, view.chain.wrappedNative.token);
  const valued = pools.filter((pool) => pool.liquidityUsd !== null);
  return {
    record,
    supply,
    origin,
    priceUsd,
    priceCoin: inCoin(priceUsd, coinUsd),
    worth: valuesOver(lookup).about(token),
    fullyDilutedUsd: marketCap(priceUsd, supply.total, record.decimals),
    pools,
    liquidityUsd:
      valued.length === 0 || placed.more ? null : valued.reduce((sum, pool) => sum + (pool.liquidityUsd ?? 0n), 0n),
    stats,
    safety,
  };
}

/** The pools of a token, as `readToken` has them, or the ones that are named; the deepest first. */
export async function readTokenPools(view: ChainView, token: Hex, named?: ReadonlySet<Hex>): Promise<TokenPoolState[]> {
  const placed = await readPools(view, token);
  const wanted = named === undefined ? placed.shown : await namedOf(view, placed, named);
  return (await valuePools(view, token, wanted)).pools;
}

/** Of a token in many pools the tables are asked for what is not among the first. */
async function namedOf(view: ChainView, { all, more }: PlacedPools, named: ReadonlySet<Hex>): Promise<PlacedPool[]> {
  const found = all.filter(({ pool }) => named.has(pool.pool));
  const known = new Set(found.map(({ pool }) => pool.pool));
  const missing = [...named].filter((id) => !known.has(id));
  if (!more || missing.length === 0) return found;
  const records = await view.reads.poolRecords(view.tables, missing);
  const placed = new Map(records.map((pool): [Hex, PlacedPool] => [pool.pool, { pool, time: pool.time, state: null }]));
  const states = await view.reads.poolStates(view.tables, [...placed.keys()]);
  for (const [id, state] of states) placed.set(id, { ...placed.get(id)!, state });
  overlay(view, placed);
  return [...found, ...placed.values()];
}

/** Each with what it holds, valued, the deepest first; and the prices that valued them. */
async function valuePools(view: ChainView, token: Hex, placed: readonly PlacedPool[]) {
  const others = placed.map(({ pool }) => otherToken(pool, token));
  const [lookup, records] = await Promise.all([
    readPrices(view, [token, ...others]),
    readTokenRecords(view, [token, ...others]),
  ]);
  const values = valuesOver(lookup);
  const decimals = (id: Hex): number | null => records.get(id)?.decimals ?? null;
  const pools = placed.map(({ pool, state, time }, index): TokenPoolState => {
    const { token0, token1 } = pool;
    return {
      pool,
      other: others[index]!,
      otherRecord: records.get(others[index]!) ?? null,
      liquidityUsd:
        state?.setApart === null
          ? poolLiquidityUsd(values, {
              ...{ token0, token1, reserve0: state.reserve0, reserve1: state.reserve1 },
              ...{ decimals0: decimals(token0), decimals1: decimals(token1) },
            })
          : null,
      setApart: state?.setApart ?? null,
      createdAt: pool.created ? time : null,
    };
  });
  return { pools: pools.sort(byDepth), lookup };
}

const otherToken = (pool: PoolRecord, token: Hex): Hex => (pool.token0 === token ? pool.token1 : pool.token0);

function byDepth(a: TokenPoolState, b: TokenPoolState): number {
  const [left, right] = [a.liquidityUsd ?? -1n, b.liquidityUsd ?? -1n];
  if (left !== right) return left > right ? -1 : 1;
  return a.pool.pool < b.pool.pool ? -1 : 1;
}

interface PlacedPool {
  pool: PoolRecord;
  time: number;
  state: Pick<PoolStateFact, 'reserve0' | 'reserve1' | 'setApart'> | null;
}

interface PlacedPools {
  all: readonly PlacedPool[];
  /** Of a token in too many pools the first. */
  shown: readonly PlacedPool[];
  more: boolean;
}

/** Pools that were named and not retracted, each with the amounts of its newest visible state. */
async function readPools(view: ChainView, token: Hex): Promise<PlacedPools> {
  const pools = new Map<Hex, PlacedPool>();
  const known = await view.reads.poolsOfTokens(view.tables, [token], MOST_POOLS, VALUED_OF_MANY);
  const { rows, more: moreInTables } = known.get(token)!;
  for (const pool of rows) pools.set(pool.pool, { pool, time: pool.time, state: pool.state });
  overlay(view, pools, token);
  const all = [...pools.values()];
  const more = moreInTables || all.length > MOST_POOLS;
  return { all, more, shown: more ? all.slice(0, VALUED_OF_MANY) : all };
}

/** What the tail says of these pools, and the pools of a token that it names. */
function overlay(view: ChainView, pools: Map<Hex, PlacedPool>, token?: Hex): void {
  for (const { facts } of view.groups) {
    if (facts.kind === 'block') {
      for (const pool of facts.pools) {
        const known = pools.get(pool.pool);
        if (known === undefined && pool.token0 !== token && pool.token1 !== token) continue;
        pools.set(pool.pool, { pool, time: facts.time, state: known?.state ?? null });
      }
    }
    for (const state of facts.poolStates) {
      const known = pools.get(state.pool);
      if (known === undefined) continue;
      const { reserve0, reserve1, setApart } = state;
      pools.set(state.pool, { ...known, state: { reserve0, reserve1, setApart } });
    }
  }
}
