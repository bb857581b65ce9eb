import { ceilDiv } from '#libs/chain/amm/q64-math.js';
import type { Ratio } from '#libs/chain/amm/ratio.js';
import { type BareCurve, productCurve } from '#libs/chain/amm/solana-constant-product.js';
import { squareRoot } from '#libs/chain/amm/square-root.js';
import type { LaunchlabCurveKind } from './account.js';

/**
 * The three curves of Raydium LaunchLab without fees. Of a product, the virtual reserves are those before the first trade;
 * of a fixed price, the tokens and the quote that it pays for them; of a linear price, virtual base is the price per token
 * sold, in units of 2^-64. Every rounding is in the curve's favour.
 */
export interface LaunchlabReserves {
  readonly virtualBase: bigint;
  readonly virtualQuote: bigint;
  /** Tokens sold. */
  readonly realBase: bigint;
  /** Quote raised. */
  readonly realQuote: bigint;
}

const Q64 = 1n << 64n;

export function launchlabCurve(kind: LaunchlabCurveKind, reserves: LaunchlabReserves, sells: boolean): BareCurve {
  const { virtualBase, virtualQuote, realBase, realQuote } = reserves;
  if (kind === 'product') {
    const base = virtualBase - realBase;
    const quote = virtualQuote + realQuote;
    return sells ? productCurve(base, quote) : productCurve(quote, base);
  }
  if (kind === 'fixed') return sells ? fixed(virtualBase, virtualQuote) : fixed(virtualQuote, virtualBase);
  const sold = (quote: bigint): bigint => squareRoot((2n * quote * Q64) / virtualBase);
  const raised = (base: bigint): bigint => ceilDiv(virtualBase * base * base, 2n * Q64);
  return sells
    ? {
        output: (input) => (input > realBase ? null : realQuote - raised(realBase - input)),
        input: (output) => (output > realQuote ? null : realBase - sold(realQuote - output)),
      }
    : {
        output: (input) => sold(realQuote + input) - realBase,
        input: (output) => raised(realBase + output) - realQuote,
      };
}

/** Raw quote for one raw token; null where a linear price starts, at zero. */
export function launchlabSpot(kind: LaunchlabCurveKind, reserves: LaunchlabReserves): Ratio | null {
  const { virtualBase, virtualQuote, realBase, realQuote } = reserves;
  const spot =
    kind === 'product'
      ? { numerator: virtualQuote + realQuote, denominator: virtualBase - realBase }
      : kind === 'fixed'
        ? { numerator: virtualQuote, denominator: virtualBase }
        : { numerator: virtualBase * realBase, denominator: Q64 };
  return spot.numerator > 0n && spot.denominator > 0n ? spot : null;
}

/**
 * The kind of a curve, recognised by its virtual reserves: a linear one has no virtual quote, a fixed one sells its
 * virtual base, a product keeps some of it for ever.
 */
export function curveKindOf({ virtualBase, virtualQuote, totalBaseSell }: CurveShape): LaunchlabCurveKind {
  if (virtualQuote === 0n) return 'linear';
  return virtualBase > totalBaseSell ? 'product' : 'fixed';
}

/** What the curve has raised once everything is sold. */
export function raisedAtEnd(shape: CurveShape): bigint {
  const { virtualBase, virtualQuote, totalBaseSell } = shape;
  const kind = curveKindOf(shape);
  if (kind === 'fixed') return virtualQuote;
  if (kind === 'linear') return ceilDiv(virtualBase * totalBaseSell * totalBaseSell, 2n * Q64);
  return ceilDiv(virtualQuote * totalBaseSell, virtualBase - totalBaseSell);
}

type CurveShape = Pick<LaunchlabReserves, 'virtualBase' | 'virtualQuote'> & { readonly totalBaseSell: bigint };

const fixed = (unitsIn: bigint, unitsOut: bigint): BareCurve => ({
  output: (input) => (unitsOut * input) / unitsIn,
  input: (output) => ceilDiv(unitsIn * output, unitsOut),
});
