import { amount0Delta, amount1Delta } from './sqrt-price-math.js';

/** What the pool takes for moving the price from one to the other, without the fee. */
export function inputBetween(from: bigint, to: bigint, liquidity: bigint, zeroForOne: boolean): bigint {
  return zeroForOne ? amount0Delta(to, from, liquidity, true) : amount1Delta(from, to, liquidity, true);
}

/** What the pool gives for moving the price from one to the other. */
export function outputBetween(from: bigint, to: bigint, liquidity: bigint, zeroForOne: boolean): bigint {
  return zeroForOne ? amount1Delta(to, from, liquidity, false) : amount0Delta(from, to, liquidity, false);
}
