import { divRoundingUp, MAX_UINT160, PriceRangeError, priceAfterInput } from '../sqrt-price-math.js';
import { inputBetween, outputBetween } from '../swap-math.js';

/**
 * Uniswap V3 SwapMath.computeSwapStep: one step of a swap inside a range of constant liquidity.
 * Invariant: never takes more than what remains (exact input), never gives more than what is asked (exact output).
 */
interface SwapStep {
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

const MAX_UINT256 = (1n << 256n) - 1n;

/** The price after an output. */
function priceAfterOutput(price: bigint, liquidity: bigint, amountOut: bigint, zeroForOne: boolean): bigint {
  if (zeroForOne) {
    const quotient = divRoundingUp(amountOut << 96n, liquidity);
    if (price <= quotient) throw new PriceRangeError();
    return price - quotient;
  }
  if (amountOut === 0n) return price;
  const numerator = liquidity << 96n;
  const product = amountOut * price;
  if (product > MAX_UINT256 || numerator <= product) throw new PriceRangeError();
  const next = divRoundingUp(numerator * price, numerator - product);
  if (next > MAX_UINT160) throw new PriceRangeError();
  return next;
}
