import { ceilDiv } from '../q64-math.js';
import { refuse, u64 } from '../refusal.js';

/**
 * One step of a swap inside a range of constant liquidity, prices as sqrt in Q64.64: Orca Whirlpool and Raydium CLMM.
 * Invariant: rounds as the programs do, always in the pool's favour, and never takes or gives more than what remains; what
 * does not fit into their 64 bits is refused.
 */
export interface Q64SwapStep {
  readonly sqrtPrice: bigint;
  /** Without a fee that is taken from the input. */
  readonly amountIn: bigint;
  /** What is left of the output after a fee that is taken from it. */
  readonly amountOut: bigint;
  readonly fee: bigint;
}

export interface StepRequest {
  /** Amount that is still to be taken (exact input) or given. */
  readonly remaining: bigint;
  readonly feePpm: bigint;
  readonly exactIn: boolean;
  readonly aToB: boolean;
  readonly feeOnInput: boolean;
}

/** More steps than the compute of a transaction pays for: a swap that needs them is refused, which bounds a quote too. */
export const MAX_STEPS = 2_000;

const LOW_64 = (1n << 64n) - 1n;
const FEE_UNIT = 1_000_000n;

/** Token A between two prices in any order. */
function amountABetween(one: bigint, other: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const numerator = (liquidity * (one < other ? other - one : one - other)) << 64n;
  return roundUp ? ceilDiv(numerator, one * other) : numerator / (one * other);
}

/** Token B between two prices in any order. */
function amountBBetween(one: bigint, other: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const product = liquidity * (one < other ? other - one : one - other);
  return (roundUp ? product + LOW_64 : product) >> 64n;
}

const inputBetween = (one: bigint, other: bigint, liquidity: bigint, aToB: boolean): bigint =>
  aToB ? amountABetween(one, other, liquidity, true) : amountBBetween(one, other, liquidity, true);

const outputBetween = (one: bigint, other: bigint, liquidity: bigint, aToB: boolean): bigint =>
  aToB ? amountBBetween(one, other, liquidity, false) : amountABetween(one, other, liquidity, false);

/** Never past what the amount pays for. */
function priceAfterInput(price: bigint, liquidity: bigint, amount: bigint, aToB: boolean): bigint {
  if (amount === 0n) return price;
  if (liquidity === 0n) return refuse();
  if (!aToB) return price + (amount << 64n) / liquidity;
  const numerator = liquidity << 64n;
  return ceilDiv(numerator * price, numerator + amount * price);
}

/** At least as far as the amount takes. */
function priceAfterOutput(price: bigint, liquidity: bigint, amount: bigint, aToB: boolean): bigint {
  if (amount === 0n) return price;
  if (liquidity === 0n) return refuse();
  if (aToB) return price - ceilDiv(amount << 64n, liquidity);
  const numerator = liquidity << 64n;
  const denominator = numerator - amount * price;
  return denominator <= 0n ? refuse() : ceilDiv(numerator * price, denominator);
}

/** From one price towards another, as far as the remaining amount goes. */
export function q64SwapStep(price: bigint, target: bigint, liquidity: bigint, request: StepRequest): Q64SwapStep {
  const { remaining, feePpm, exactIn, aToB, feeOnInput } = request;
  const whole = exactIn ? inputBetween(price, target, liquidity, aToB) : outputBetween(price, target, liquidity, aToB);
  const moving = amountForPrice(request);
  let next = target;
  // An amount beyond 64 bits is out of reach, and the price is found from what remains.
  if (whole > moving || whole > LOW_64) {
    next = exactIn ? priceAfterInput(price, liquidity, moving, aToB) : priceAfterOutput(price, liquidity, moving, aToB);
    if (aToB ? next < target : next > target) return refuse();
  }
  const atTarget = next === target;
  let amountIn = u64(atTarget && exactIn ? whole : inputBetween(price, next, liquidity, aToB));
  let amountOut = u64(atTarget && !exactIn ? whole : outputBetween(price, next, liquidity, aToB));
  let fee: bigint;
  if (feeOnInput) {
    if (!exactIn && amountOut > remaining) amountOut = remaining;
    fee = exactIn && !atTarget ? remaining - amountIn : u64(ceilDiv(amountIn * feePpm, FEE_UNIT - feePpm));
  } else {
    fee = ceilDiv(amountOut * feePpm, FEE_UNIT);
    if (!exactIn && amountOut - fee > remaining) fee = amountOut - remaining;
    amountOut -= fee;
    // An amount too small to move the price further goes to the pool.
    if (exactIn && !atTarget) amountIn = remaining;
  }
  return { sqrtPrice: next, amountIn, amountOut, fee };
}

/** The part of what remains that moves the price: less a fee on the input, plus one on the output. */
function amountForPrice({ remaining, feePpm, exactIn, feeOnInput }: StepRequest): bigint {
  if (exactIn === feeOnInput)
    return exactIn
      ? (remaining * (FEE_UNIT - feePpm)) / FEE_UNIT
      : u64(ceilDiv(remaining * FEE_UNIT, FEE_UNIT - feePpm));
  return remaining;
}
