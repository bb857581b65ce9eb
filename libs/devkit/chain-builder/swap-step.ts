/**
 * Uniswap V3's SqrtPriceMath and SwapMath in bigint, to the wei. Written apart from the quotes' own in libs/chain/amm: what a built
 * chain pays does not come from the code that is compared with it. The price of a tick is one table, and shared.
 */
const Q96 = 1n << 96n;
const MAX_UINT256 = (1n << 256n) - 1n;

export function divUp(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}

export function amount0Delta(a: bigint, b: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const [low, high] = a < b ? [a, b] : [b, a];
  const numerator = (liquidity << 96n) * (high - low);
  return roundUp ? divUp(divUp(numerator, high), low) : numerator / high / low;
}

export function amount1Delta(a: bigint, b: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const product = liquidity * (a < b ? b - a : a - b);
  return roundUp ? divUp(product, Q96) : product / Q96;
}

function nextPriceFromInput(price: bigint, liquidity: bigint, amountIn: bigint, zeroForOne: boolean): bigint {
  if (!zeroForOne) return price + (amountIn << 96n) / liquidity;
  if (amountIn === 0n) return price;
  const numerator = liquidity << 96n;
  const product = amountIn * price;
  if (product <= MAX_UINT256 && numerator + product <= MAX_UINT256)
    return divUp(numerator * price, numerator + product);
  return divUp(numerator, numerator / price + amountIn);
}

export interface BuilderSwapStep {
  next: bigint;
  amountIn: bigint;
  amountOut: bigint;
  fee: bigint;
}

/** One exact-input step towards `target`. */
export function builderSwapStep(
  price: bigint,
  target: bigint,
  liquidity: bigint,
  remaining: bigint,
  feePpm: bigint,
): BuilderSwapStep {
  const zeroForOne = price >= target;
  const available = (remaining * (1_000_000n - feePpm)) / 1_000_000n;
  const toTarget = zeroForOne
    ? amount0Delta(target, price, liquidity, true)
    : amount1Delta(price, target, liquidity, true);
  const next = available >= toTarget ? target : nextPriceFromInput(price, liquidity, available, zeroForOne);
  const reached = next === target;
  const amountIn = reached
    ? toTarget
    : zeroForOne
      ? amount0Delta(next, price, liquidity, true)
      : amount1Delta(price, next, liquidity, true);
  const amountOut = zeroForOne
    ? amount1Delta(next, price, liquidity, false)
    : amount0Delta(price, next, liquidity, false);
  const fee = reached ? divUp(amountIn * feePpm, 1_000_000n - feePpm) : remaining - amountIn;
  return { next, amountIn, amountOut, fee };
}
