/**
 * Money is bigint. Prices are scaled by 1e36 (`E36`), USD and coin volumes by 1e18 (`E18`); raw token amounts are base
 * units. Every division rounds towards zero and happens once, at the end. No float decides an amount.
 */
export type E36 = bigint;
export type E18 = bigint;

const POW10: bigint[] = Array.from({ length: 96 }, (_, i) => 10n ** BigInt(i));

export const ONE_E18 = 10n ** 18n;
export const ONE_E36 = 10n ** 36n;

export function pow10(exponent: number): bigint {
  const known = POW10[exponent];
  if (known !== undefined) return known;
  if (exponent < 0) throw new RangeError(`pow10 of ${exponent}`);
  return 10n ** BigInt(exponent);
}

/** Decimal string of `value / 10^scale`, without trailing zeros and never in exponent form. */
export function formatDecimal(value: bigint, scale: number): string {
  if (scale === 0) return value.toString();
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, -scale);
  const fraction = digits.slice(-scale).replace(/0+$/, '');
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Inverse of formatDecimal; digits beyond the scale are an error, never rounded away. */
export function parseDecimal(text: string, scale: number): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) throw new RangeError(`not a decimal: ${text.slice(0, 40)}`);
  const fraction = (match[3] ?? '').replace(/0+$/, '');
  if (fraction.length > scale) throw new RangeError(`more than ${scale} decimals: ${text.slice(0, 40)}`);
  const value = BigInt(match[2] + fraction.padEnd(scale, '0'));
  return match[1] ? -value : value;
}

/** The decimal that a number from 0 is written as, scaled; digits below the scale are dropped. For bounds that clients write. */
export function fromNumber(value: number, scale: number): bigint {
  const [digits, exponent = '0'] = String(value).split('e');
  const [whole, fraction = ''] = digits!.split('.');
  const shift = scale + Number(exponent) - fraction.length;
  const scaled = BigInt(`${whole}${fraction}`);
  return shift >= 0 ? scaled * 10n ** BigInt(shift) : scaled / 10n ** BigInt(-shift);
}

/** The number a JSON answer shows for a scaled value. For display only. */
export function toDisplayNumber(value: bigint, scale: number): number {
  return Number(formatDecimal(value, scale));
}
