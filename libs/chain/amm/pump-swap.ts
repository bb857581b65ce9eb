import type { CurveSwap } from './curve-swap.js';
import { ceilDiv } from './q64-math.js';
import { isU64Amount } from './solana-constant-product.js';

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

/**
 * The fees are those of the share that the rates leave of the input. Where each is rounded up they may come to more than the
 * rest: the curve then gets less. Where they come to a unit less, the trader keeps it.
 */
export function buyFor(curve: PumpCurve, amountIn: bigint): CurveSwap | null {
  if (!isU64Amount(amountIn)) return null;
  const share = (amountIn * BPS) / (BPS + total(curve.rates));
  const fee = pumpFees(share, curve.rates);
  const net = share + fee > amountIn ? amountIn - fee : share;
  const amountOut = net <= 0n ? 0n : (curve.base * (net - 1n)) / (curve.quote + net - 1n);
  if (amountOut === 0n || amountOut > curve.baseLeft) return null;
  return { amountIn: net + fee, amountOut, fee, feeSide: 'input' };
}

export function sell(curve: PumpCurve, amountIn: bigint): CurveSwap | null {
  if (!isU64Amount(amountIn)) return null;
  const gross = (curve.quote * amountIn) / (curve.base + amountIn);
  const fee = pumpFees(gross, curve.rates);
  // The liquidity providers' part stays in the pool.
  const leaves = gross - part(gross, curve.rates.lp);
  if (gross - fee <= 0n || leaves > curve.quoteLeft) return null;
  return { amountIn, amountOut: gross - fee, fee, feeSide: 'output' };
}
