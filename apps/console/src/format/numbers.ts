/** Numbers as people read them in a narrow column. What is unknown is a dash, never a zero. */
export const UNKNOWN = '—';

const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉';
const MINUS = '−';

/** From this many zeros behind the point on they are counted instead of written. */
const COUNTED_ZEROS = 4;

const grouped = (digits: number): Intl.NumberFormat =>
  new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const formats = Array.from({ length: 13 }, (_, digits) => grouped(digits));
const fixed = (value: number, digits: number): string => formats[digits]!.format(value);

/** Digits behind the point that leave a price five significant figures, and two from a hundred on. */
function priceDigits(size: number): number {
  if (size === 0 || size >= 100) return 2;
  return Math.min(12, 4 - Math.floor(Math.log10(size)));
}

/** `0.0000123` is `0.0₄123`: the small figure says how many zeros are left out. */
export function price(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return UNKNOWN;
  const sign = value < 0 ? MINUS : '';
  const exact = Math.abs(value);
  // Rounded first, so that what becomes 100 is written like 100.
  const size = exact < 100 ? Number(exact.toPrecision(5)) : exact;
  if (size >= 1e9) return `${sign}${compact(size)}`;
  const zeros = size === 0 || size >= 1 ? 0 : -Math.floor(Math.log10(size)) - 1;
  if (zeros < COUNTED_ZEROS) return `${sign}${fixed(size, priceDigits(size))}`;
  const [figure, exponent] = size.toExponential(3).split('e');
  const count = [...String(-Number(exponent) - 1)].map((digit) => SUBSCRIPTS[Number(digit)]).join('');
  return `${sign}0.0${count}${figure!.replace('.', '')}`;
}

export const usd = (value: number | null): string => withUnit('$', price(value));

const UNITS: readonly [number, string][] = [
  [1e15, 'Q'],
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
];

/** Three or four figures and a unit: `1.23K`, `45.6M`. */
export function compact(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return UNKNOWN;
  const sign = value < 0 ? MINUS : '';
  const size = Math.abs(value);
  if (size >= 1e18) return `${sign}${size.toExponential(2)}`;
  // 999,999 is 1.00M, not 1,000K.
  for (const [unit, name] of UNITS) {
    if (size >= unit * 0.99995) return `${sign}${scaled(size / unit)}${name}`;
  }
  if (size === 0) return '0';
  if (size < 0.01) return `${sign}<0.01`;
  return `${sign}${size >= 100 ? fixed(size, 0) : fixed(size, 2)}`;
}

const scaled = (value: number): string => fixed(value, value < 10 ? 2 : value < 100 ? 1 : 0);

export const compactUsd = (value: number | null): string => withUnit('$', compact(value));

/** The sign of the currency is behind the minus. */
function withUnit(unit: string, text: string): string {
  if (text === UNKNOWN) return text;
  return text.startsWith(MINUS) ? `${MINUS}${unit}${text.slice(1)}` : `${unit}${text}`;
}

/** Always with a sign; zero has none. */
export function percent(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return UNKNOWN;
  const size = Math.abs(value);
  const text = size >= 1e6 ? compact(size) : fixed(size, size < 1000 ? 2 : 0);
  if (Number(text.replaceAll(',', '')) === 0) return '0.00%';
  return `${value < 0 ? MINUS : '+'}${text}%`;
}

/** Whether a change is to be shown as a rise or a fall: by what is shown, not by what is behind it. */
export function direction(value: number | null): 'up' | 'down' | 'flat' {
  const text = percent(value);
  return text.startsWith('+') ? 'up' : text.startsWith(MINUS) ? 'down' : 'flat';
}

/** An amount of tokens, given as an exact decimal string. */
export function amount(value: string | null): string {
  if (value === null) return UNKNOWN;
  const size = Number(value);
  if (!Number.isFinite(size)) return UNKNOWN;
  return size !== 0 && Math.abs(size) < 1 ? price(size) : compact(size);
}

export const whole = (value: number | null): string => (value === null ? UNKNOWN : fixed(value, 0));

export function bytes(value: number | null): string {
  if (value === null) return UNKNOWN;
  let size = value;
  for (const unit of ['B', 'KB', 'MB', 'GB']) {
    if (size < 1000) return `${unit === 'B' ? fixed(size, 0) : scaled(size)} ${unit}`;
    size /= 1000;
  }
  return `${scaled(size)} TB`;
}

/** What names an id at a glance: four letters of base58, and four hex digits behind their prefix. */
export const idStart = (id: string): string => id.slice(0, id.startsWith('0x') ? 6 : 4);

/** `0xc02a…6cc2`, `So11…1112` */
export const shortId = (id: string): string => (id.length <= 13 ? id : `${idStart(id)}…${id.slice(-4)}`);
