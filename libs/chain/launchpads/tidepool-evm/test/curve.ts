/**
 * The curve's mathematics as its contract does it, to the wei: a constant product of virtual reserves, a fee in the coin, every
 * rounding against the trader.
 */
export interface CurveState {
  readonly virtualCoin: bigint;
  readonly virtualTokens: bigint;
  /** Still for sale. */
  readonly remaining: bigint;
}

export const FOR_SALE = 793_100_000n * 10n ** 18n;
/** Virtual reserve of tokens at the start. */
export const VIRTUAL_TOKENS = 1_073_000_000n * 10n ** 18n;
const FEE_BPS = 100n;
const BPS = 10_000n;

const up = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;
const afterFee = (amount: bigint): bigint => (amount * (BPS - FEE_BPS)) / BPS;

/** `taken` is less than the amount where the curve has not as much left: the rest goes back. Null where it pays nothing. */
export function buyTokens(curve: CurveState, amount: bigint): { taken: bigint; tokens: bigint; fee: bigint } | null {
  const { virtualCoin, virtualTokens, remaining } = curve;
  let net = afterFee(amount);
  let tokens = (virtualTokens * net) / (virtualCoin + net);
  let taken = amount;
  if (tokens > remaining) {
    tokens = remaining;
    net = up(virtualCoin * tokens, virtualTokens - tokens);
    taken = up(net * BPS, BPS - FEE_BPS);
  }
  return tokens === 0n ? null : { taken, tokens, fee: taken - net };
}

/** Null where it pays nothing, or where more is sold than was bought. */
export function sellTokens(curve: CurveState, tokens: bigint): { paid: bigint; fee: bigint } | null {
  const { virtualCoin, virtualTokens, remaining } = curve;
  if (tokens <= 0n || tokens > FOR_SALE - remaining) return null;
  const gross = (virtualCoin * tokens) / (virtualTokens + tokens);
  const paid = afterFee(gross);
  return paid === 0n ? null : { paid, fee: gross - paid };
}
