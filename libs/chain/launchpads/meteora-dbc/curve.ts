import { amountABetween, amountBBetween, amountMoved, priceAfterIn, priceAfterOut } from '#libs/chain/amm/q64-math.js';
import { refuse, u64 } from '#libs/chain/amm/refusal.js';
import { least } from '#libs/core/bigint-order.js';
import type { DbcConfig } from './account.js';

/**
 * Walks along a bonding curve of several segments of constant liquidity, from a price on. Base tokens are A, quote tokens
 * B: a purchase moves the price up, at most to the price of the migration; a sale moves it down, at most to the start.
 * Invariant: amounts are those of the program to the unit, each segment rounded on its own.
 */

/** Base tokens for so many quote tokens; all of them have to be taken. */
export function buyExactIn(config: DbcConfig, from: bigint, amountIn: bigint): bigint {
  let price = from;
  let left = amountIn;
  let out = 0n;
  for (const { sqrtPrice, liquidity } of config.curve) {
    if (sqrtPrice === 0n || liquidity === 0n) break;
    const end = least(config.migrationSqrtPrice, sqrtPrice);
    if (end <= price) continue;
    const whole = amountBBetween(price, end, liquidity, true);
    const ends = left < whole;
    const next = ends ? priceAfterIn(price, liquidity, left, false) : end;
    out = u64(out + amountMoved(price, next, liquidity, true, false));
    price = next;
    left = ends ? 0n : left - u64(whole);
    if (ends || next === config.migrationSqrtPrice) break;
  }
  return left === 0n ? out : refuse();
}

/** Quote tokens for so many base tokens. */
export function sellExactIn(config: DbcConfig, from: bigint, amountIn: bigint): bigint {
  const { curve, sqrtStartPrice } = config;
  let price = from;
  let left = amountIn;
  let out = 0n;
  for (let i = curve.length - 2; i >= 0; i--) {
    const end = curve[i]!.sqrtPrice;
    if (end === 0n || curve[i]!.liquidity === 0n || end >= price) continue;
    const { liquidity } = curve[i + 1]!;
    const whole = amountABetween(end, price, liquidity, true);
    const ends = left < whole;
    const next = ends ? priceAfterIn(price, liquidity, left, true) : end;
    out = u64(out + amountMoved(price, next, liquidity, false, false));
    price = next;
    left = ends ? 0n : left - u64(whole);
    if (ends) break;
  }
  if (left === 0n) return out;
  const { liquidity } = curve[0]!;
  let next = priceAfterIn(price, liquidity, left, true);
  if (next < sqrtStartPrice) {
    // The whole input to the start, rounded up, may lead just below it; more than that is not taken.
    if (left !== amountMoved(price, sqrtStartPrice, liquidity, true, true)) return refuse();
    next = sqrtStartPrice;
  }
  return u64(out + amountMoved(price, next, liquidity, false, false));
}

/** Quote tokens that buy so many base tokens. */
export function buyExactOut(config: DbcConfig, from: bigint, amountOut: bigint): bigint {
  let price = from;
  let left = amountOut;
  let paid = 0n;
  for (const { sqrtPrice, liquidity } of config.curve) {
    if (sqrtPrice === 0n || liquidity === 0n) break;
    if (sqrtPrice <= price) continue;
    const whole = amountABetween(price, sqrtPrice, liquidity, false);
    const ends = left < whole;
    const next = ends ? priceAfterOut(price, liquidity, left, false) : sqrtPrice;
    paid = u64(paid + amountMoved(price, next, liquidity, false, true));
    price = next;
    left = ends ? 0n : left - u64(whole);
    if (ends) break;
  }
  return left === 0n && price <= config.migrationSqrtPrice ? paid : refuse();
}

/** Base tokens that have to be sold for so many quote tokens. */
export function sellExactOut(config: DbcConfig, from: bigint, amountOut: bigint): bigint {
  const { curve, sqrtStartPrice } = config;
  let price = from;
  let left = amountOut;
  let paid = 0n;
  for (let i = curve.length - 2; i >= 0; i--) {
    const end = curve[i]!.sqrtPrice;
    if (end === 0n || curve[i]!.liquidity === 0n || end >= price) continue;
    const { liquidity } = curve[i + 1]!;
    const whole = amountBBetween(end, price, liquidity, false);
    const ends = left < whole;
    const next = ends ? priceAfterOut(price, liquidity, left, true) : end;
    paid = u64(paid + amountMoved(price, next, liquidity, true, true));
    price = next;
    left = ends ? 0n : left - u64(whole);
    if (ends) break;
  }
  if (left === 0n) return paid;
  const { liquidity } = curve[0]!;
  if (left > amountBBetween(sqrtStartPrice, price, liquidity, false)) return refuse();
  const next = priceAfterOut(price, liquidity, left, true);
  if (next < sqrtStartPrice) return refuse();
  return u64(paid + amountMoved(price, next, liquidity, true, true));
}
