/**
 * Uniswap V3 TickMath: sqrt(1.0001^tick) · 2^96.
 * Invariant: bit for bit what the contract computes, rounding included.
 */
export const MIN_TICK = -887272;
export const MAX_TICK = 887272;
export const MIN_SQRT_RATIO = 4295128739n;
export const MAX_SQRT_RATIO = 1461446703485210103287273052203988822378723970342n;

const MAX_UINT256 = (1n << 256n) - 1n;

/** sqrt(1.0001^-(2^i)) · 2^128 for i = 0…19. */
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

/** The last price asked for in each slot; a tick has one slot, many ticks share it. All begin as tick 0, whose slot is 0. */
const SLOT_BITS = 16;
const slotTicks = new Int32Array(1 << SLOT_BITS);
const slotRatios: bigint[] = new Array<bigint>(1 << SLOT_BITS).fill(1n << 96n);

/** Price at a tick, rounded up as the contract does. */
export function sqrtRatioAtTick(tick: number): bigint {
  const slot = Math.imul(tick, 0x9e3779b1) >>> (32 - SLOT_BITS);
  if (slotTicks[slot] === tick) return slotRatios[slot]!;
  const ratio = computeSqrtRatio(tick);
  slotTicks[slot] = tick;
  slotRatios[slot] = ratio;
  return ratio;
}

function computeSqrtRatio(tick: number): bigint {
  const distance = Math.abs(tick);
  if (!Number.isInteger(tick) || distance > MAX_TICK) throw new RangeError(`tick ${tick} is outside the price range`);
  let ratio = distance & 1 ? FACTORS[0]! : 1n << 128n;
  for (let bit = 1; bit < 20; bit++) {
    if (distance & (1 << bit)) ratio = (ratio * FACTORS[bit]!) >> 128n;
  }
  if (tick > 0) ratio = MAX_UINT256 / ratio;
  const whole = ratio >> 32n;
  return (ratio & 0xffffffffn) === 0n ? whole : whole + 1n;
}

/** The greatest tick whose price is at or below the given one. */
export function tickAtSqrtRatio(sqrtPriceX96: bigint): number {
  if (sqrtPriceX96 < MIN_SQRT_RATIO || sqrtPriceX96 >= MAX_SQRT_RATIO)
    throw new RangeError(`price ${sqrtPriceX96} is outside the price range`);
  // A float finds the neighbourhood, the exact table decides.
  const estimate = Math.floor((2 * Math.log(Number(sqrtPriceX96) / 2 ** 96)) / Math.log(1.0001));
  let tick = Math.max(MIN_TICK, Math.min(MAX_TICK - 1, estimate));
  while (tick > MIN_TICK && sqrtRatioAtTick(tick) > sqrtPriceX96) tick--;
  while (tick < MAX_TICK - 1 && sqrtRatioAtTick(tick + 1) <= sqrtPriceX96) tick++;
  return tick;
}
