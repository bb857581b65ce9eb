import { amount0Delta, amount1Delta, divRoundingUp, priceAfterInput, priceAfterOutput } from './sqrt-price-math.js';

/**
 * Uniswap V3 SwapMath.computeSwapStep: one step of a swap inside a range of constant liquidity.
 * Invariant: never takes more than what remains (exact input), never gives more than what is asked (exact output).
 */
export interface SwapStep {
  sqrtPriceX96: bigint;
  amountIn: bigint;
  amountOut: bigint;
  feeAmount: bigint;
}

const FEE_UNIT = 1_000_000n;

/** `remaining` > 0: exact input left; < 0: exact output left. */
export function swapStep(
  price: bigint,
  target: bigint,
  liquidity: bigint,
  remaining: bigint,
  feePpm: bigint,
): SwapStep {
  const zeroForOne = price >= target;
  const exactIn = remaining >= 0n;
  let next: bigint;
  let amountIn: bigint;
  let amountOut: bigint;
  if (exactIn) {
    const afterFee = (remaining * (FEE_UNIT - feePpm)) / FEE_UNIT;
    const whole = inputBetween(price, target, liquidity, zeroForOne);
    next = afterFee >= whole ? target : priceAfterInput(price, liquidity, afterFee, zeroForOne);
    amountIn = next === target ? whole : inputBetween(price, next, liquidity, zeroForOne);
    amountOut = outputBetween(price, next, liquidity, zeroForOne);
  } else {
    const whole = outputBetween(price, target, liquidity, zeroForOne);
    next = -remaining >= whole ? target : priceAfterOutput(price, liquidity, -remaining, zeroForOne);
    amountOut = next === target ? whole : outputBetween(price, next, liquidity, zeroForOne);
    if (amountOut > -remaining) amountOut = -remaining;
    amountIn = inputBetween(price, next, liquidity, zeroForOne);
  }
  const feeAmount =
    exactIn && next !== target ? remaining - amountIn : divRoundingUp(amountIn * feePpm, FEE_UNIT - feePpm);
  return { sqrtPriceX96: next, amountIn, amountOut, feeAmount };
}

/** What the pool takes for moving the price from one to the other, without the fee. */
export function inputBetween(from: bigint, to: bigint, liquidity: bigint, zeroForOne: boolean): bigint {
  return zeroForOne ? amount0Delta(to, from, liquidity, true) : amount1Delta(from, to, liquidity, true);
}

/** What the pool gives for moving the price from one to the other. */
export function outputBetween(from: bigint, to: bigint, liquidity: bigint, zeroForOne: boolean): bigint {
  return zeroForOne ? amount1Delta(to, from, liquidity, false) : amount0Delta(from, to, liquidity, false);
}
