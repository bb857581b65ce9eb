import type { StepRequest } from '#libs/chain/amm/q64/swap-step.js';
import { ceilDiv } from '#libs/chain/amm/q64-math.js';
import type { CurveStretch } from '#libs/chain/amm/real-curve.js';
import { u64 } from '#libs/chain/amm/refusal.js';

/**
 * What a swap takes from the limit orders at a tick that its price reaches. Invariant: at the tick's own price, rounded
 * against the trader as the program rounds, and never more than the orders offer.
 */
export interface OrderFill {
  /** Without a fee that is taken from the input. */
  readonly amountIn: bigint;
  /** What is left of the output after a fee that is taken from it. */
  readonly amountOut: bigint;
  readonly fee: bigint;
}

const LOW_64 = (1n << 64n) - 1n;
const FEE_UNIT = 1_000_000n;

export function fillOrders(sqrtPrice: bigint, offered: bigint, request: StepRequest): OrderFill {
  const { remaining, feePpm, exactIn, aToB, feeOnInput } = request;
  const square = sqrtPrice * sqrtPrice;
  /** B for one A in Q64, rounded so that the trader gets less. */
  const price = (aToB ? square : square + LOW_64) >> 64n;
  const inputFor = (output: bigint): bigint =>
    u64(aToB ? ceilDiv(output << 64n, price) : (output * price + LOW_64) >> 64n);
  const feeOn = (input: bigint): bigint => u64(ceilDiv(input * feePpm, FEE_UNIT - feePpm));

  let fee = 0n;
  let amountIn: bigint;
  let amountOut: bigint;
  if (exactIn) {
    if (feeOnInput) fee = ceilDiv(remaining * feePpm, FEE_UNIT);
    amountIn = remaining - fee;
    amountOut = aToB ? (amountIn * price) >> 64n : (amountIn << 64n) / price;
    if (amountOut > offered) {
      amountOut = offered;
      amountIn = inputFor(offered);
      if (feeOnInput) fee = feeOn(amountIn);
    }
  } else {
    const net = remaining < offered ? remaining : offered;
    const gross = feeOnInput ? net : u64(ceilDiv(net * FEE_UNIT, FEE_UNIT - feePpm));
    amountOut = gross < offered ? gross : offered;
    amountIn = inputFor(amountOut);
    if (feeOnInput) fee = feeOn(amountIn);
  }
  if (!feeOnInput) {
    fee = ceilDiv(amountOut * feePpm, FEE_UNIT);
    amountOut -= fee;
  }
  return { amountIn, amountOut, fee };
}

/** All that the orders offer, at their price, in real numbers. */
export function orderStretch(
  sqrtPrice: bigint,
  offered: bigint,
  aToB: boolean,
  kept: Pick<CurveStretch, 'keptIn' | 'keptOut'>,
): CurveStretch {
  const root = Number(sqrtPrice) / 2 ** 64;
  const price = aToB ? root * root : 1 / (root * root);
  return { price, bend: 0, net: Number(offered) / price, ...kept };
}
