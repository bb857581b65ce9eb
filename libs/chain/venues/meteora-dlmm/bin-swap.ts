import { feeWithin, withFee } from '#libs/chain/amm/billionth-fee.js';
import { ceilDiv } from '#libs/chain/amm/q64-math.js';
import { refuse, u64 } from '#libs/chain/amm/refusal.js';
import { least } from '#libs/core/bigint-order.js';

/**
 * What one bin of a DLMM pool takes and gives. All of a bin trades at one price: first the liquidity of its makers, then
 * the limit orders that are being filled, then those that wait. Invariant: amounts are those of the program to the unit.
 */
export interface SwapBin {
  readonly id: number;
  /** Q64.64, raw Y for one raw X; 0 for a bin that no price can be stated for, where the program refuses. */
  readonly price: bigint;
  /** Fee in parts per billion while this bin is the active one. */
  readonly rate: bigint;
  /** Amounts of the output token, in the order in which they are filled; none is zero. */
  readonly layers: readonly bigint[];
  readonly total: bigint;
}

export interface BinSwap {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly fee: bigint;
}

export interface SwapSide {
  readonly xToY: boolean;
  readonly feeOnInput: boolean;
}

const U64_MAX = (1n << 64n) - 1n;

/** The least input that fills an amount, before fees. */
function inputFor(out: bigint, price: bigint, xToY: boolean): bigint {
  if (price === 0n) return refuse();
  return u64(xToY ? ceilDiv(out << 64n, price) : (out * price + U64_MAX) >> 64n);
}

function outputFor(input: bigint, price: bigint, xToY: boolean): bigint {
  if (price === 0n) return refuse();
  return u64(xToY ? (input * price) >> 64n : (input << 64n) / price);
}

/** As much of the input as the bin takes. */
export function binExactIn(bin: SwapBin, amountIn: bigint, { xToY, feeOnInput }: SwapSide): BinSwap {
  const { price, rate } = bin;
  let fee = feeOnInput ? feeWithin(amountIn, rate) : 0n;
  const offered = amountIn - fee;
  let left = offered;
  let out = 0n;
  for (let i = 0; i < bin.layers.length && (i === 0 || left > 0n); i++) {
    const layer = bin.layers[i]!;
    const whole = inputFor(layer, price, xToY);
    if (left >= whole) {
      left -= whole;
      out += layer;
    } else {
      out += outputFor(left, price, xToY);
      left = 0n;
    }
  }
  let taken = amountIn;
  if (left > 0n) {
    const filled = offered - left;
    taken = feeOnInput ? withFee(filled, rate) : filled;
    if (feeOnInput) fee = taken - filled;
  }
  if (!feeOnInput) {
    fee = feeWithin(out, rate);
    out -= fee;
  }
  return { amountIn: taken, amountOut: u64(out), fee };
}

/** At most this much output: all of the bin when it holds less. */
export function binExactOut(bin: SwapBin, amountOut: bigint, side: SwapSide): BinSwap {
  const { price, rate } = bin;
  const { xToY, feeOnInput } = side;
  const gross = feeOnInput ? amountOut : withFee(amountOut, rate);
  if (gross >= bin.total) return binExactIn(bin, U64_MAX, side);
  let remaining = gross;
  let input = 0n;
  for (let i = 0; i < bin.layers.length && remaining > 0n; i++) {
    const part = least(remaining, bin.layers[i]!);
    input = u64(input + inputFor(part, price, xToY));
    remaining -= part;
  }
  return { ...binExactIn(bin, feeOnInput ? withFee(input, rate) : input, side), amountOut };
}
