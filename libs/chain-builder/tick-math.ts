/** Uniswap V3 price arithmetic (TickMath, SqrtPriceMath, SwapMath) in bigint, to the wei. */
export const MIN_TICK = -887272;
export const MAX_TICK = 887272;
export const MIN_SQRT_RATIO = 4295128739n;
export const MAX_SQRT_RATIO = 1461446703485210103287273052203988822378723970342n;
export const Q96 = 1n << 96n;
const MAX_UINT256 = (1n << 256n) - 1n;

const FACTORS = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
];

const ratios = new Map<number, bigint>();

export function sqrtRatioAtTick(tick: number): bigint {
  const known = ratios.get(tick);
  if (known !== undefined) return known;
  if (tick < MIN_TICK || tick > MAX_TICK) throw new RangeError(`tick ${tick}`);
  const distance = Math.abs(tick);
  let ratio = distance & 1 ? (FACTORS[0] as bigint) : 1n << 128n;
  for (let bit = 1; bit < 20; bit++) if (distance & (1 << bit)) ratio = (ratio * (FACTORS[bit] as bigint)) >> 128n;
  if (tick > 0) ratio = MAX_UINT256 / ratio;
  const result = (ratio + (1n << 32n) - 1n) >> 32n;
  ratios.set(tick, result);
  return result;
}

/** The greatest tick whose ratio is not above the price. */
export function tickAtSqrtRatio(sqrtPrice: bigint): number {
  if (sqrtPrice < MIN_SQRT_RATIO || sqrtPrice >= MAX_SQRT_RATIO) throw new RangeError('sqrt price');
  const guess = Math.floor((2 * Math.log(Number(sqrtPrice) / 2 ** 96)) / Math.log(1.0001));
  let tick = Math.min(MAX_TICK - 1, Math.max(MIN_TICK, guess));
  while (sqrtRatioAtTick(tick) > sqrtPrice) tick--;
  while (sqrtRatioAtTick(tick + 1) <= sqrtPrice) tick++;
  return tick;
}

export function divUp(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}

export function integerSqrt(n: bigint): bigint {
  if (n < 2n) return n;
  let x = 1n << BigInt((n.toString(2).length + 1) >> 1);
  for (;;) {
    const y = (x + n / x) >> 1n;
    if (y >= x) return x;
    x = y;
  }
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

export interface SwapStep {
  next: bigint;
  amountIn: bigint;
  amountOut: bigint;
  fee: bigint;
}

/** One exact-input step towards `target`. */
export function swapStep(
  price: bigint,
  target: bigint,
  liquidity: bigint,
  remaining: bigint,
  feePpm: bigint,
): SwapStep {
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
