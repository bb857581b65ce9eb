/**
 * Amounts of tokens: what people type and read, exactly converted to and from base units. A float never takes part, so
 * that what is shown is what is sent.
 */

const MOST = 2n ** 256n - 1n;
const MINUS = '−';

export type Parsed = { readonly units: bigint } | { readonly trouble: string };

/** `1.5` of a token with 6 decimals is 1500000. Spaces, underscores and thousands commas are taken for grouping. */
export function parseAmount(text: string, decimals: number): Parsed {
  const plain = text
    .trim()
    .replace(/[\s_']/g, '')
    .replace(/^\+/, '');
  if (plain === '') return { trouble: 'Enter an amount.' };
  const ungrouped = /^\d{1,3}(,\d{3})+(\.\d*)?$/.test(plain) ? plain.replaceAll(',', '') : plain;
  const match = /^(\d*)(?:\.(\d*))?$/.exec(ungrouped);
  const [whole, fraction] = [match?.[1] ?? '', match?.[2] ?? ''];
  if (match === null || whole + fraction === '')
    return { trouble: 'An amount is digits, with a point before decimals.' };
  const significant = fraction.replace(/0+$/, '');
  if (significant.length > decimals) return { trouble: tooFine(decimals) };
  const units = BigInt(whole + significant.padEnd(decimals, '0') || '0');
  if (units === 0n) return { trouble: 'The amount is zero.' };
  return units > MOST ? { trouble: 'The amount is larger than any token can hold.' } : { units };
}

const tooFine = (decimals: number): string =>
  decimals === 0 ? 'This token has no decimals.' : `This token has ${decimals} decimals; the amount has more.`;

/** All significant digits, without trailing zeros: `1.5`, `0.000001`, `12`. */
export function exactAmount(units: bigint, decimals: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Significant digits that a shown amount keeps. */
const FIGURES = 7;

/** For reading: grouped, cut (never rounded up) after seven significant digits; whole tokens are always whole. */
export function shownAmount(units: bigint, decimals: number): string {
  const exact = exactAmount(units < 0n ? -units : units, decimals);
  const [whole, fraction = ''] = exact.split('.') as [string, string?];
  const room = whole === '0' ? FIGURES + /^0*/.exec(fraction)![0].length : Math.max(2, FIGURES - whole.length);
  const kept = fraction.slice(0, room).replace(/0+$/, '');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${units < 0n ? MINUS : ''}${grouped}${kept === '' ? '' : `.${kept}`}`;
}

/** `0.5` is 50 basis points; two decimals, 0 to 100. */
export function parseSlippage(text: string): { readonly bps: number } | { readonly trouble: string } {
  const match = /^(\d{1,3})(?:[.,](\d{1,2}))?\s*%?$/.exec(text.trim());
  if (match === null) return { trouble: 'Slippage is a percentage with at most two decimals.' };
  const bps = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
  return bps > 10_000 ? { trouble: 'Slippage is at most 100%.' } : { bps };
}

export const slippageText = (bps: number): string => exactAmount(BigInt(bps), 2);

/** How much more one amount is than another, in hundredths of a basis point, rounded towards zero; null where the second is zero. */
export const differenceInHundredths = (executed: bigint, quoted: bigint): bigint | null =>
  quoted === 0n ? null : ((executed - quoted) * 1_000_000n) / quoted;

/** `+1.25 bps`, `0 bps`, `−0.4 bps`. */
export function bpsText(hundredths: bigint | null): string {
  if (hundredths === null) return '—';
  const size = exactAmount(hundredths < 0n ? -hundredths : hundredths, 2);
  return `${hundredths === 0n ? '' : hundredths < 0n ? MINUS : '+'}${size} bps`;
}

/** What one whole token of the first is worth in the second, with as many digits as a price needs; null where one is zero. */
export function rateText(
  from: { units: bigint; decimals: number },
  to: { units: bigint; decimals: number },
): string | null {
  if (from.units === 0n) return null;
  const scaled = (to.units * 10n ** BigInt(from.decimals + EXTRA)) / from.units;
  return shownAmount(scaled, to.decimals + EXTRA);
}

/** Digits beyond the token's own, so that the price of a token with few decimals is not cut to nothing. */
const EXTRA = 12;
