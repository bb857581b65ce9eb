import type { CurveSwap } from './curve-swap.js';
import { ceilDiv, isAmount } from './solana-constant-product.js';

/** Basis points of the three fees. */
export interface PumpRates {
  readonly lp: bigint;
  readonly protocol: bigint;
  readonly creator: bigint;
}

/**
 * Swaps of pump.fun's curves and PumpSwap's pools, which compute in the same way: a constant product between the base and a quote
 * whose fees are each rounded up and paid in quote: a buy pays them on top of what goes into the curve, a sell out of what
 * comes from it. Invariant: `buyFor` is the instruction that spends a given quote, `sell` the one that sells a given base.
 */
export interface PumpCurve {
  /** Reserves that the price follows from, virtual parts included. */
  readonly base: bigint;
  readonly quote: bigint;
  /** Most that can leave, whatever the price says. */
  readonly baseLeft: bigint;
  readonly quoteLeft: bigint;
  readonly rates: PumpRates;
}

const BPS = 10_000n;

const total = ({ lp, protocol, creator }: PumpRates): bigint => lp + protocol + creator;
const part = (amount: bigint, bps: bigint): bigint => ceilDiv(amount * bps, BPS);

export const pumpFees = (amount: bigint, { lp, protocol, creator }: PumpRates): bigint =>
  part(amount, lp) + part(amount, protocol) + part(amount, creator);

/** What an instruction that spends a given quote puts into the curve; the rest goes to the fees. */
function netOf(spent: bigint, rates: PumpRates): bigint {
  const net = (spent * BPS) / (BPS + total(rates));
  const over = net + pumpFees(net, rates) - spent;
  return over > 0n ? net - over : net;
}

/** A unit that rounding may leave of the input counts as fee. */
export function buyFor(curve: PumpCurve, amountIn: bigint): CurveSwap | null {
  if (!isAmount(amountIn)) return null;
  const net = netOf(amountIn, curve.rates);
  const amountOut = net <= 0n ? 0n : (curve.base * (net - 1n)) / (curve.quote + net - 1n);
  if (amountOut === 0n || amountOut > curve.baseLeft) return null;
  return { amountIn, amountOut, fee: amountIn - net, feeSide: 'input' };
}

export function sell(curve: PumpCurve, amountIn: bigint): CurveSwap | null {
  if (!isAmount(amountIn)) return null;
  const gross = (curve.quote * amountIn) / (curve.base + amountIn);
  const fee = pumpFees(gross, curve.rates);
  // The liquidity providers' part stays in the pool.
  const leaves = gross - part(gross, curve.rates.lp);
  if (gross - fee <= 0n || leaves > curve.quoteLeft) return null;
  return { amountIn, amountOut: gross - fee, fee, feeSide: 'output' };
}
