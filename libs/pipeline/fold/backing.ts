import { GenerationCache } from '#libs/core/generation-cache.js';
import type { Hex } from '#libs/core/ids.js';
import { type E36, ONE_E36, pow10 } from '#libs/core/money.js';
import type { PriceFact } from '#libs/protocol/facts.js';

/**
 * What backs the price of a token (docs/prices.md): of each pool that counts, its spot and what a sale into it would bring.
 * Amounts alone are kept, in units of the pool's own tokens, so that the backing of a token changes only with its pools; what it
 * is worth follows where it is read. Invariant: a sale that ends at one of the knots brings what it says or more.
 */
export interface Backing {
  /** Pools against the coin and the stables, deepest first; then pools against tokens that those price, deepest first. */
  readonly parts: readonly PricePart[];
  /** Of the token. */
  readonly decimals: number;
  /** How much of the token is in pools that are quoted in it, rounded up; 0 for a token that quotes nothing. */
  readonly pooled: bigint;
}

export interface PricePart {
  readonly pool: Hex;
  readonly quote: Hex;
  readonly quoteDecimals: number;
  /** Whole quote tokens for one whole token. */
  readonly spot: E36;
  readonly curve: PartCurve;
  /** As the text of a backing has it, where that is known. */
  readonly text?: string;
}

/**
 * `product`: a curve of constant product with these reserves; of pools with another curve the one that is below it. `launch`: the
 * same of a bonding curve, which pays its whole reserve. `ranges`: sums over ranges of liquidity.
 */
export type PartCurve =
  | { readonly form: 'product' | 'launch'; readonly base: bigint; readonly quote: bigint }
  | RangedCurve;

/** The curve of a pool after so many changes of it. */
export interface KnownCurve {
  changes: number;
  spot: E36;
  curve: PartCurve;
  /** Null until it backs a price. */
  part: PricePart | null;
}

interface RangedCurve {
  readonly form: 'ranges';
  /** What the quote side down to a quarter of the price is worth in the token at the spot. */
  readonly down: bigint;
  /** What the pool pays of the token until its price is four times the spot. */
  readonly up: bigint;
  readonly knots: Knots;
}

/** Until the price is 2 %, 10 %, and three quarters lower: how much of the token is sold, and what that brings. */
export interface Knots {
  readonly sold: readonly [bigint, bigint, bigint];
  readonly brought: readonly [bigint, bigint, bigint];
}

const UNIT = 10n ** 12n;
/** 1 / √ratio − 1, rounded up, and 1 − √ratio, rounded down. */
const PRODUCT_SOLD = [10_152_544_553n, 54_092_553_390n, UNIT] as const;
const PRODUCT_BROUGHT = [10_050_506_338n, 51_316_701_949n, UNIT / 2n] as const;

export function knotsOf(curve: PartCurve): Knots {
  if (curve.form === 'ranges') return curve.knots;
  const { base, quote } = curve;
  const sold = (share: bigint): bigint => (base * share + UNIT - 1n) / UNIT;
  const brought = (share: bigint): bigint => (quote * share) / UNIT;
  const [s2, s10, s75] = PRODUCT_SOLD;
  const [b2, b10, b75] = PRODUCT_BROUGHT;
  return { sold: [sold(s2), sold(s10), sold(s75)], brought: [brought(b2), brought(b10), brought(b75)] };
}

/** What a sale down to a quarter of the price brings; of a bonding curve all that it holds. */
export function exitOf(curve: PartCurve): bigint {
  if (curve.form === 'ranges') return curve.knots.brought[2];
  return curve.form === 'launch' ? curve.quote : curve.quote / 2n;
}

/** How much of the token the pool takes, and pays, before it agrees with pools of another price; the same unit for both. */
export function weightsOf(curve: PartCurve): { down: bigint; up: bigint } {
  if (curve.form === 'ranges') return curve;
  const half = curve.base / 2n;
  return { down: half, up: half };
}

/** The reserve of the token that a curve of constant product has at this spot with this much of the quote, rounded up. */
export function baseAt(spot: E36, quote: bigint, baseDecimals: number, quoteDecimals: number): bigint {
  const below = spot * pow10(quoteDecimals);
  return (quote * pow10(baseDecimals) * ONE_E36 + below - 1n) / below;
}

const POOLED_BITS = 6;

/** Up, to a few bits: so that it changes seldom, and never says less than there is. */
export function roundedUp(amount: bigint): bigint {
  const shift = BigInt(Math.max(0, amount.toString(2).length - POOLED_BITS));
  const rounded = (amount >> shift) << shift;
  return rounded === amount ? amount : rounded + (1n << shift);
}

// One text a backing: its amounts are decimal numbers, so that a person can read them in a table.

/** `decimals;pooled;pool,quote,quoteDecimals,spot,form,amount,…;…` */
export function backingText({ parts, decimals, pooled }: Backing): string {
  let text = `${decimals};${pooled}`;
  for (const part of parts) text += `;${textOf(part)}`;
  return text;
}

export const textOf = (part: PricePart): string => part.text ?? partText(part);

/** A part with its text. */
export function writtenPart(pool: Hex, quote: Hex, quoteDecimals: number, spot: E36, curve: PartCurve): PricePart {
  return { pool, quote, quoteDecimals, spot, curve, text: partText({ pool, quote, quoteDecimals, spot, curve }) };
}

function partText({ pool, quote, quoteDecimals, spot, curve }: PricePart): string {
  const text = `${pool},${quote},${quoteDecimals},${spot},${curve.form}`;
  if (curve.form !== 'ranges') return `${text},${curve.base},${curve.quote}`;
  const { down, up, knots } = curve;
  const [s2, s10, s75] = knots.sold;
  const [b2, b10, b75] = knots.brought;
  return `${text},${down},${up},${s2},${s10},${s75},${b2},${b10},${b75}`;
}

function readBacking(text: string): Backing {
  const [decimals, pooled, ...parts] = text.split(';');
  return { decimals: Number(decimals), pooled: BigInt(pooled!), parts: parts.map(readPart) };
}

function readPart(text: string): PricePart {
  const [pool, quote, decimals, spot, form, ...numbers] = text.split(',');
  const amounts = numbers.map(BigInt);
  const place = { pool: pool!, quote: quote!, quoteDecimals: Number(decimals), spot: BigInt(spot!), text };
  if (form === 'product' || form === 'launch')
    return { ...place, curve: { form, base: amounts[0]!, quote: amounts[1]! } };
  if (form !== 'ranges' || amounts.length !== 8) throw new Error(`a backing of form ${form}`);
  const [down, up, s2, s10, s75, b2, b10, b75] = amounts;
  const knots: Knots = { sold: [s2!, s10!, s75!], brought: [b2!, b10!, b75!] };
  return { ...place, curve: { form, down: down!, up: up!, knots } };
}

/** Of a price of which no more is known than one pool and its spot, as fold versions before 9 left it: it backs nothing. */
const unbacked = ({ pool, quote, spot }: { pool: Hex; quote: Hex; spot: E36 }): Backing => ({
  ...{ decimals: 0, pooled: 0n },
  parts: [{ pool, quote, quoteDecimals: 0, spot, curve: { form: 'product', base: 0n, quote: 0n } }],
});

/** Of such a price. */
export const isUnknown = (curve: PartCurve): boolean => curve.form !== 'ranges' && curve.base === 0n;

/** Null: the token has no price. */
export function backingOfPrice({ pool, quote, spot, backing }: Omit<PriceFact, 'token' | 'level'>): Backing | null {
  if (backing !== null) return backingOf(backing);
  return pool === null || quote === null || spot === null ? null : unbacked({ pool, quote, spot });
}

/** The same text is asked for again and again: by each view that looks at a token, and as a quote by each token that it prices. */
const known = new GenerationCache<string, Backing>(5_000, readBacking);

export const backingOf = (text: string): Backing => known.get(text);
