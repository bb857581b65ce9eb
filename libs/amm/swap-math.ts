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
  const inputTo = (to: bigint) =>
    zeroForOne ? amount0Delta(to, price, liquidity, true) : amount1Delta(price, to, liquidity, true);
  const outputTo = (to: bigint) =>
    zeroForOne ? amount1Delta(to, price, liquidity, false) : amount0Delta(price, to, liquidity, false);

  let next: bigint;
  let amountIn: bigint;
  let amountOut: bigint;
  if (exactIn) {
    const afterFee = (remaining * (FEE_UNIT - feePpm)) / FEE_UNIT;
    const whole = inputTo(target);
    next = afterFee >= whole ? target : priceAfterInput(price, liquidity, afterFee, zeroForOne);
    amountIn = next === target ? whole : inputTo(next);
    amountOut = outputTo(next);
  } else {
    const whole = outputTo(target);
    next = -remaining >= whole ? target : priceAfterOutput(price, liquidity, -remaining, zeroForOne);
    amountOut = next === target ? whole : outputTo(next);
    if (amountOut > -remaining) amountOut = -remaining;
    amountIn = inputTo(next);
  }
  const feeAmount =
    exactIn && next !== target ? remaining - amountIn : divRoundingUp(amountIn * feePpm, FEE_UNIT - feePpm);
  return { sqrtPriceX96: next, amountIn, amountOut, feeAmount };
}
