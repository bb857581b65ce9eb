import { poolSpot, type SpotState } from '#libs/chain/amm/pool-spot.js';
import type { E36 } from '#libs/core/money.js';
import { ONE_E36, pow10 } from '#libs/core/money.js';
import type { ChainEvent, SwapEvent } from '#libs/protocol/blocks.js';
import type { TradeFact } from '#libs/protocol/facts.js';
import type { TablePool } from './token-table.js';

/**
 * Marks the trades of a block that the same block undid (docs/spikes.md): the pool's price went away from where it was before,
 * the trade was far from there, and the block ends near there again. Who traded says nothing: a loop may go over any number of
 * wallets and transactions. What is far and near is said of the price that the pool gave, so that a high fee reverts nothing.
 * Invariant: a rough number only says that there is nothing to ask; every mark is decided by exact ones.
 */
export class RevertedTrades {
  private readonly paths = new Map<TablePool, Path>();

  /** Called with each event of a pool before the pool has it; `after` then, with the trade that it is. */
  before(event: ChainEvent, pool: TablePool): void {
    const path = this.pathOf(pool);
    if (!isStatement(event)) return;
    // Right before the swaps that left it. What was stated before, if nothing came of it, was a state of its own.
    if (path.stated) path.standing = standingOf(pool);
    path.stated = true;
  }

  after(event: ChainEvent, pool: TablePool, trade: TradeFact | null): void {
    if (isStatement(event)) return;
    const path = this.pathOf(pool);
    const before = path.standing;
    // Vaults are stated once a transaction: inside of it the pool has what its swaps left.
    if (event.kind === 'swap' && pool.statedByVaults && !pool.statesPrice) path.standing = moved(before, event);
    else {
      path.standing = standingOf(pool);
      path.stated = false;
    }
    if (trade !== null) path.steps.push({ before, after: path.standing, trade });
  }

  /** Once every pool is as the block leaves it. */
  mark(): void {
    for (const [pool, { steps }] of this.paths) {
      // What one trade leaves is no way back.
      if (steps.length === 0 || (steps.length === 1 && isSame(steps[0]!.after, pool))) continue;
      const prices = new PoolPrices(pool, steps[0]!.trade);
      if (mayBeReverted(steps, prices)) markSteps(steps, prices);
    }
  }

  private pathOf(pool: TablePool): Path {
    let path = this.paths.get(pool);
    if (path === undefined) {
      path = { standing: standingOf(pool), stated: false, steps: [] };
      this.paths.set(pool, path);
    }
    return path;
  }
}

interface Path {
  /** After the newest swap, or what else there was. */
  standing: Standing;
  /** Whether the pool has amounts that were stated after swaps that are still to come, or just came. */
  stated: boolean;
  readonly steps: Step[];
}

/** What a pool's spot follows from. */
type Standing = Pick<SpotState, 'sqrtPriceX96'> & { reserve0: bigint; reserve1: bigint };

interface Step {
  readonly before: Standing;
  readonly after: Standing;
  readonly trade: TradeFact;
}

const standingOf = ({ sqrtPriceX96, reserve0, reserve1 }: Standing): Standing => ({
  sqrtPriceX96,
  reserve0,
  reserve1,
});

const isSame = (a: Standing, b: Standing): boolean =>
  a.sqrtPriceX96 === b.sqrtPriceX96 && a.reserve0 === b.reserve0 && a.reserve1 === b.reserve1;

/** Amounts as they are after what the log tells of next. */
const isStatement = ({ kind }: ChainEvent): boolean => kind === 'reserves' || kind === 'vaults';

function moved(from: Standing, { amount0, amount1 }: SwapEvent): Standing {
  const [reserve0, reserve1] = [from.reserve0 + amount0, from.reserve1 + amount1];
  return from.reserve0 > 0n && from.reserve1 > 0n ? { ...from, reserve0, reserve1 } : from;
}

/** Prices of a pool's states, from the view of its trades' base token: inside of one block that is one token. */
class PoolPrices {
  private readonly spot;
  private readonly baseIsToken0: boolean;
  readonly end: Standing;

  constructor(
    pool: TablePool,
    private readonly trade: TradeFact,
  ) {
    this.spot = poolSpot(pool.record.kind);
    this.baseIsToken0 = pool.token0.id === trade.base;
    this.end = standingOf(pool);
  }

  exact(standing: Standing): E36 | null {
    return this.spot.exact(this.seen(standing));
  }

  rough(standing: Standing): number {
    return this.spot.rough(this.seen(standing));
  }

  private seen({ sqrtPriceX96, reserve0, reserve1 }: Standing): SpotState {
    const { baseIsToken0 } = this;
    const { baseDecimals, quoteDecimals } = this.trade;
    const [baseReserve, quoteReserve] = baseIsToken0 ? [reserve0, reserve1] : [reserve1, reserve0];
    return { sqrtPriceX96, baseReserve, quoteReserve, baseIsToken0, baseDecimals, quoteDecimals };
  }
}

/** Far: more than 10%. Near: less than a fifth of the way, in logarithms. */
const FAR = { over: 11n, under: 10n };
const NEAR = 5;

/** Rough numbers are good for fewer digits than this leaves. */
const ROUGHLY = 1e-4;
const [LEAST_ROUGH, MOST_ROUGH] = [1e-24, 1e30];

/** False where no exact number could mark any of the trades. */
function mayBeReverted(steps: readonly Step[], prices: PoolPrices): boolean {
  const end = prices.rough(prices.end);
  if (Number.isNaN(end)) return false;
  let [below, above] = [0, Number.POSITIVE_INFINITY];
  for (const { before, after, trade } of steps) {
    const from = prices.rough(before);
    if (Number.isNaN(from)) continue;
    const to = prices.rough(after);
    if (![end, from, to].every((price) => price > LEAST_ROUGH && price < MOST_ROUGH)) return true;
    const start = from / end;
    if (start >= 1) above = Math.min(above, start);
    if (start <= 1) below = Math.max(below, start);
    const { baseAmount, quoteAmount, baseDecimals, quoteDecimals } = trade;
    const paid = (Number(quoteAmount) / Number(baseAmount)) * 10 ** (baseDecimals - quoteDecimals);
    const given = Math.min(Math.max(paid, Math.min(from, to)), Math.max(from, to)) / end;
    const away = Math.log(given);
    if (Math.abs(away) < Math.log(1.1) - ROUGHLY) continue;
    for (const ratio of [below, above]) {
      const off = Math.log(ratio);
      if (NEAR * Math.abs(off) < Math.abs(off - away) + ROUGHLY) return true;
    }
  }
  return false;
}

/** A price as a fraction. */
type Price = readonly [over: bigint, under: bigint];

/** Of all spots that the pool had before a trade, the nearest ones on both sides of the last decide. */
function markSteps(steps: readonly Step[], prices: PoolPrices): void {
  const end = prices.exact(prices.end);
  if (end === null) return;
  let below: E36 | null = null;
  let above: E36 | null = null;
  for (const { before, after, trade } of steps) {
    const [from, to] = [prices.exact(before), prices.exact(after)];
    if (from !== null && from >= end && (above === null || from < above)) above = from;
    if (from !== null && from <= end && (below === null || from > below)) below = from;
    if (from === null || to === null || trade.volumeUsd === null) continue;
    const given = between(paidFor(trade), from, to);
    const [over, under] = apart(given, [end, 1n]);
    if (over * FAR.under <= under * FAR.over) continue;
    if ([below, above].some((start) => start !== null && isNear(start, end, given))) trade.uncounted = 'reverted';
  }
}

function isNear(start: E36, end: E36, given: Price): boolean {
  const [over, under] = apart([start, 1n], [end, 1n]);
  const [farOver, farUnder] = apart([start, 1n], given);
  return over ** BigInt(NEAR) * farUnder < under ** BigInt(NEAR) * farOver;
}

/** How many times the larger is the smaller. */
function apart([a, b]: Price, [c, d]: Price): Price {
  const [left, right] = [a * d, c * b];
  return left > right ? [left, right] : [right, left];
}

/** In the unit of spots. */
function paidFor({ baseAmount, quoteAmount, baseDecimals, quoteDecimals }: TradeFact): Price {
  return [quoteAmount * pow10(baseDecimals) * ONE_E36, baseAmount * pow10(quoteDecimals)];
}

/** The price, or where it is beyond both spots the one next to it. */
function between(price: Price, from: E36, to: E36): Price {
  const [low, high] = from < to ? [from, to] : [to, from];
  const [over, under] = price;
  if (over < low * under) return [low, 1n];
  return over > high * under ? [high, 1n] : price;
}
