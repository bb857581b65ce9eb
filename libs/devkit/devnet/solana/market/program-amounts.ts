import { squareRoot } from '#libs/chain/amm/square-root.js';
import type { Curve } from '#programs/client.js';

/**
 * Amounts of the programs' pools and curves in bigint: what src/math.h and src/venue.h compute, for quotes off chain.
 * Every rounding is against the trader. Null where the program answers with an error.
 */
const BPS = 10_000n;
const MAX = 2n ** 64n - 1n;

const up = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;
const least = (a: bigint, b: bigint): bigint => [a, b].reduce((x, y) => (y < x ? y : x));
const fits = (value: bigint): bigint | null => (value >= 0n && value <= MAX ? value : null);

const afterFee = (amount: bigint, bps: bigint): bigint => (amount * (BPS - bps)) / BPS;
const amountBeforeFee = (net: bigint, bps: bigint): bigint => up(net * BPS, BPS - bps);

function productOut(reserveIn: bigint, reserveOut: bigint, amount: bigint): bigint | null {
  const sum = reserveIn + amount;
  return sum > MAX || sum === 0n ? null : (reserveOut * amount) / sum;
}

function productIn(reserveIn: bigint, reserveOut: bigint, out: bigint): bigint | null {
  return out >= reserveOut ? null : fits(up(reserveIn * out, reserveOut - out));
}

/** What a pool pays for an input; null where the program refuses. */
export function poolOut(reserveIn: bigint, reserveOut: bigint, amount: bigint, feeBps: bigint): bigint | null {
  if (amount === 0n || reserveIn === 0n || reserveOut === 0n || reserveIn + amount > MAX) return null;
  return productOut(reserveIn, reserveOut, afterFee(amount, feeBps)) || null;
}

/** What a pool asks for an exact output. */
export function poolIn(reserveIn: bigint, reserveOut: bigint, out: bigint, feeBps: bigint): bigint | null {
  if (out === 0n || reserveIn === 0n || reserveOut === 0n) return null;
  const net = productIn(reserveIn, reserveOut, out);
  const amount = net === null ? null : fits(amountBeforeFee(net, feeBps));
  return amount === null || amount === 0n || reserveIn + amount > MAX ? null : amount;
}

type CurveReserves = Pick<Curve, 'virtualQuote' | 'virtualBase' | 'realQuote' | 'remaining' | 'feeBps'>;

export interface CurveTrade {
  input: bigint;
  output: bigint;
  fee: bigint;
}

/** Quote in, token out. A buy of more than is left takes what is left and asks only for that. */
export function curveBuy(curve: CurveReserves, amount: bigint): CurveTrade | null {
  const net = afterFee(amount, curve.feeBps);
  const output = productOut(curve.virtualQuote, curve.virtualBase, net);
  if (output === null || output === 0n) return null;
  if (output > curve.remaining) return curveBuyExact(curve, curve.remaining);
  return { input: amount, output, fee: amount - net };
}

export function curveBuyExact(curve: CurveReserves, output: bigint): CurveTrade | null {
  if (output === 0n || output > curve.remaining) return null;
  const net = productIn(curve.virtualQuote, curve.virtualBase, output);
  const input = net === null ? null : fits(amountBeforeFee(net, curve.feeBps));
  return net === null || input === null ? null : { input, output, fee: input - afterFee(input, curve.feeBps) };
}

/** Token in, quote out. */
export function curveSell(curve: CurveReserves, amount: bigint): CurveTrade | null {
  const gross = productOut(curve.virtualBase, curve.virtualQuote, amount);
  if (gross === null || gross > curve.realQuote) return null;
  const output = afterFee(gross, curve.feeBps);
  return output === 0n ? null : { input: amount, output, fee: gross - output };
}

export function curveSellExact(curve: CurveReserves, output: bigint): CurveTrade | null {
  const gross = fits(amountBeforeFee(output, curve.feeBps));
  if (output === 0n || gross === null || gross > curve.realQuote) return null;
  const input = productIn(curve.virtualBase, curve.virtualQuote, gross);
  return input === null ? null : { input, output, fee: gross - output };
}

const LOCKED_SHARES = 1000n;

/** Shares of a deposit, and the part of the offered amounts it takes. */
export function poolDeposit(heldA: bigint, heldB: bigint, supply: bigint, mostA: bigint, mostB: bigint) {
  if (supply === 0n) return { a: mostA, b: mostB, shares: squareRoot(mostA * mostB) - LOCKED_SHARES };
  const total = supply + LOCKED_SHARES;
  const shares = least((mostA * total) / heldA, (mostB * total) / heldB);
  return { a: up(shares * heldA, total), b: up(shares * heldB, total), shares };
}

export function poolWithdrawal(heldA: bigint, heldB: bigint, supply: bigint, shares: bigint) {
  const total = supply + LOCKED_SHARES;
  return { a: (shares * heldA) / total, b: (shares * heldB) / total };
}
