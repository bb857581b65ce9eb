import { constantProductOutput } from '#libs/chain/amm/constant-product.js';
import { amount0Delta, amount1Delta } from '#libs/chain/amm/sqrt-price-math.js';
import { squareRoot } from '#libs/chain/amm/square-root.js';
import { swapConcentrated } from '#libs/chain/amm/test/swap-concentrated.js';
import { MAX_TICK, sqrtRatioAtTick, tickAtSqrtRatio } from '#libs/chain/amm/tick-math.js';
import type { Hex } from '#libs/core/ids.js';
import type { ChainEvent, PoolAnchor, PoolRecord, TickRecord } from '#libs/protocol/blocks.js';
import type { SeededRandom } from '../seeded-random.js';

/**
 * The chain that a random history tells of: pools that really trade, so that the events fit together as a contract's do.
 * Plain values only; a block's world is copied for the next one, which makes every fork cheap to go back to.
 */
export interface SimulatedPool {
  record: PoolRecord;
  /** Known to the log on this fork. */
  recorded: boolean;
  reserve0: bigint;
  reserve1: bigint;
  sqrtPriceX96: bigint;
  tick: number;
  liquidity: bigint;
  ticks: Map<number, TickRecord>;
  positions: { lower: number; upper: number; liquidity: bigint }[];
  /** The virtual part of a curve's quote reserve, which has no owner. */
  virtual1: bigint;
}

export type PoolEvent =
  | Pick<Extract<ChainEvent, { kind: 'swap' }>, 'kind' | 'amount0' | 'amount1' | 'after'>
  | Pick<Extract<ChainEvent, { kind: 'reserves' }>, 'kind' | 'reserve0' | 'reserve1'>
  | Pick<
      Extract<ChainEvent, { kind: 'liquidity' }>,
      'kind' | 'tickLower' | 'tickUpper' | 'liquidityDelta' | 'amount0' | 'amount1'
    >
  | Pick<Extract<ChainEvent, { kind: 'vaults' }>, 'kind' | 'reserve0' | 'reserve1'>
  | Pick<Extract<ChainEvent, { kind: 'flow' }>, 'kind' | 'amount0' | 'amount1'>
  | Pick<Extract<ChainEvent, { kind: 'initialize' }>, 'kind' | 'sqrtPriceX96' | 'tick'>;

export function clonePool(pool: SimulatedPool): SimulatedPool {
  return { ...pool, ticks: new Map(pool.ticks), positions: pool.positions.map((position) => ({ ...position })) };
}

export function emptyPool(record: PoolRecord): SimulatedPool {
  return {
    record,
    recorded: false,
    reserve0: 0n,
    reserve1: 0n,
    sqrtPriceX96: 0n,
    tick: 0,
    liquidity: 0n,
    ticks: new Map(),
    positions: [],
    virtual1: 0n,
  };
}

/** What an account of bins would say: some of what the pool holds. */
export const nearAnchorOf = ({ record, reserve0, reserve1, sqrtPriceX96 }: SimulatedPool): PoolAnchor => ({
  ...{ pool: record.pool, reserve0, reserve1, concentrated: null },
  near: { sqrtPriceX96, amount0: reserve0 / 3n, amount1: reserve1 / 2n },
});

export function anchorOf(pool: SimulatedPool): PoolAnchor {
  const { reserve0, reserve1, sqrtPriceX96, tick, liquidity } = pool;
  const ticks = [...pool.ticks.values()].sort((a, b) => a.tick - b.tick);
  const concentrated = pool.record.kind === 'concentrated' ? { sqrtPriceX96, tick, liquidity, ticks } : null;
  return { pool: pool.record.pool, reserve0, reserve1, concentrated };
}

/** Whole-number raw amount of a float, with random low digits. */
export function rawAmount(random: SeededRandom, whole: number, decimals: number): bigint {
  const scaled = whole * 10 ** Math.min(decimals, 12);
  if (!Number.isFinite(scaled) || scaled < 1) return 0n;
  return BigInt(Math.floor(scaled)) * 10n ** BigInt(Math.max(0, decimals - 12)) + BigInt(random.int(0, 9));
}

/** Adds liquidity worth about `amount1` (and as much of token 0); the first time it sets the price too. */
export function addLiquidity(random: SeededRandom, pool: SimulatedPool, amount0: bigint, amount1: bigint): PoolEvent[] {
  if (amount0 <= 0n || amount1 <= 0n) return [];
  if (pool.record.kind === 'curve' && pool.reserve0 > 0n) return [];
  if (pool.record.kind !== 'concentrated') {
    const into1 = pool.reserve0 > 0n ? (amount0 * pool.reserve1) / pool.reserve0 : amount1;
    if (into1 === 0n) return [];
    pool.reserve0 += amount0;
    pool.reserve1 += into1;
    if (pool.record.kind === 'curve') pool.virtual1 = into1;
    return [reservesEvent(pool), { ...NO_TICKS, kind: 'liquidity', amount0, amount1: into1 }];
  }
  const events: PoolEvent[] = [];
  if (pool.sqrtPriceX96 === 0n) {
    const root = Math.sqrt(Number(amount1) / Number(amount0));
    const price = BigInt(Math.floor(root * 2 ** 60)) << 36n;
    if (price < sqrtRatioAtTick(-800_000) || price > sqrtRatioAtTick(800_000)) return [];
    pool.sqrtPriceX96 = price;
    pool.tick = tickAtSqrtRatio(price);
    events.push({ kind: 'initialize', sqrtPriceX96: price, tick: pool.tick });
  }
  const spacing = pool.record.tickSpacing;
  const reach = spacing * random.int(1, 400);
  const centre = Math.floor((pool.tick + random.int(-1, 1) * random.int(0, reach)) / spacing) * spacing;
  const widest = Math.floor(MAX_TICK / spacing) * spacing;
  const lower = Math.max(-widest, centre - reach);
  const upper = Math.min(widest, centre + reach);
  const width = sqrtRatioAtTick(upper) - sqrtRatioAtTick(lower);
  const liquidity = (amount1 << 96n) / width;
  if (lower >= upper || liquidity === 0n) return events;
  const position = pool.positions.find((known) => known.lower === lower && known.upper === upper);
  if (position) position.liquidity += liquidity;
  else pool.positions.push({ lower, upper, liquidity });
  events.push(moveLiquidity(pool, lower, upper, liquidity));
  return events;
}

/** Takes a part of one position (concentrated) or of the reserves (constant product) out. */
export function removeLiquidity(random: SeededRandom, pool: SimulatedPool): PoolEvent[] {
  const percent = BigInt(random.chance(0.3) ? 100 : random.int(1, 99));
  if (pool.record.kind === 'curve') return [];
  if (pool.record.kind === 'constant-product') {
    const part = percent === 100n ? 99n : percent;
    const amount0 = (pool.reserve0 * part) / 100n;
    const amount1 = (pool.reserve1 * part) / 100n;
    if (amount0 === 0n || amount1 === 0n) return [];
    pool.reserve0 -= amount0;
    pool.reserve1 -= amount1;
    return [reservesEvent(pool), { ...NO_TICKS, kind: 'liquidity', amount0: -amount0, amount1: -amount1 }];
  }
  if (pool.positions.length === 0) return [];
  const position = random.pick(pool.positions);
  const liquidity = (position.liquidity * percent) / 100n;
  if (liquidity === 0n) return [];
  position.liquidity -= liquidity;
  if (position.liquidity === 0n) pool.positions = pool.positions.filter((other) => other !== position);
  const removed = moveLiquidity(pool, position.lower, position.upper, -liquidity);
  if (removed.kind !== 'liquidity' || !random.chance(0.6)) return [removed];
  // Collected at once; otherwise it stays owed and in the pool.
  pool.reserve0 += removed.amount0;
  pool.reserve1 += removed.amount1;
  return [removed, { kind: 'flow', amount0: removed.amount0, amount1: removed.amount1 }];
}

/** Swaps a share of the pool's own reserve in; nothing when it gives nothing back. */
export function swap(pool: SimulatedPool, zeroForOne: boolean, share: number): PoolEvent[] {
  const reserve = zeroForOne ? pool.reserve0 : pool.reserve1;
  const amountIn = (reserve * BigInt(Math.max(1, Math.floor(share * 1e9)))) / 1_000_000_000n;
  if (amountIn <= 0n) return [];
  if (pool.record.kind !== 'concentrated') {
    const [reserveIn, reserveOut] = zeroForOne ? [pool.reserve0, pool.reserve1] : [pool.reserve1, pool.reserve0];
    const out = constantProductOutput(amountIn, reserveIn, reserveOut, pool.record.feePpm);
    if (out === null) return [];
    if (pool.record.kind === 'curve' && zeroForOne && out > pool.reserve1 - pool.virtual1) return [];
    const [amount0, amount1] = zeroForOne ? [amountIn, -out] : [-out, amountIn];
    pool.reserve0 += amount0;
    pool.reserve1 += amount1;
    return [reservesEvent(pool), { kind: 'swap', amount0, amount1, after: null }];
  }
  if (pool.sqrtPriceX96 === 0n || pool.liquidity === 0n) return [];
  const limit = sqrtRatioAtTick(zeroForOne ? -850_000 : 850_000);
  if (zeroForOne ? limit >= pool.sqrtPriceX96 : limit <= pool.sqrtPriceX96) return [];
  const { feePpm, tickSpacing } = pool.record;
  const ticks = [...pool.ticks.values()].sort((a, b) => a.tick - b.tick);
  const done = swapConcentrated({ ...pool, feePpm, tickSpacing, ticks }, zeroForOne, amountIn, limit);
  const { amount0, amount1, sqrtPriceX96, tick, liquidity } = done;
  if (pool.reserve0 + amount0 < 0n || pool.reserve1 + amount1 < 0n) return [];
  Object.assign(pool, { sqrtPriceX96, tick, liquidity });
  pool.reserve0 += amount0;
  pool.reserve1 += amount1;
  return [{ kind: 'swap', amount0, amount1, after: { sqrtPriceX96, tick, liquidity } }];
}

/**
 * What the same happening leaves in the log of a chain that tells of vaults: balances after the transaction, one of them
 * left out where it did not change, then what positions changed and the price where the pool states one. `before` is the pool before it.
 */
export function toldByVaults(pool: SimulatedPool, before: SimulatedPool, events: PoolEvent[]): PoolEvent[] {
  const known = before.recorded;
  const unchanged0 = known && pool.reserve0 === before.reserve0;
  const unchanged1 = known && pool.reserve1 === before.reserve1;
  const real1 = pool.reserve1 - pool.virtual1;
  const listed: PoolEvent[] = [
    { kind: 'vaults', reserve0: unchanged0 ? null : pool.reserve0, reserve1: unchanged1 ? null : real1 },
  ];
  for (const event of events) {
    if (event.kind === 'liquidity' && pool.record.kind === 'concentrated') {
      // Some instructions do not say where they put what they move.
      const [isUntold, isHidden] = [event.amount0 % 9n === 4n, event.amount1 % 5n === 3n];
      const amounts = isHidden ? { amount0: 0n, amount1: 0n } : {};
      listed.push(isUntold ? { ...event, ...NO_TICKS, ...amounts } : event);
      continue;
    }
    if (event.kind !== 'swap') continue;
    const stated =
      pool.record.kind === 'curve' ? squareRoot((pool.reserve1 << 192n) / pool.reserve0) : pool.sqrtPriceX96;
    const after =
      pool.record.kind === 'constant-product' ? null : { sqrtPriceX96: stated, liquidity: 0n, tick: pool.tick };
    listed.push({ ...event, after });
  }
  return listed;
}

export function reservesEvent(pool: SimulatedPool): PoolEvent {
  return { kind: 'reserves', reserve0: pool.reserve0, reserve1: pool.reserve1 };
}

const NO_TICKS = { tickLower: 0, tickUpper: 0, liquidityDelta: 0n } as const;

function moveLiquidity(pool: SimulatedPool, lower: number, upper: number, delta: bigint): PoolEvent {
  const adding = delta > 0n;
  const size = adding ? delta : -delta;
  const [low, high] = [sqrtRatioAtTick(lower), sqrtRatioAtTick(upper)];
  const price = pool.sqrtPriceX96;
  let amount0 = 0n;
  let amount1 = 0n;
  if (pool.tick < lower) amount0 = amount0Delta(low, high, size, adding);
  else if (pool.tick >= upper) amount1 = amount1Delta(low, high, size, adding);
  else {
    amount0 = amount0Delta(price, high, size, adding);
    amount1 = amount1Delta(low, price, size, adding);
    pool.liquidity += delta;
  }
  for (const [tick, net] of [
    [lower, delta],
    [upper, -delta],
  ] as const) {
    const old = pool.ticks.get(tick);
    const liquidityGross = (old?.liquidityGross ?? 0n) + delta;
    const liquidityNet = (old?.liquidityNet ?? 0n) + net;
    if (liquidityGross === 0n) pool.ticks.delete(tick);
    else pool.ticks.set(tick, { tick, liquidityGross, liquidityNet });
  }
  if (adding) {
    pool.reserve0 += amount0;
    pool.reserve1 += amount1;
  }
  const sign = adding ? 1n : -1n;
  return {
    kind: 'liquidity',
    tickLower: lower,
    tickUpper: upper,
    liquidityDelta: delta,
    amount0: sign * amount0,
    amount1: sign * amount1,
  };
}

export type PoolMap = Map<Hex, SimulatedPool>;
