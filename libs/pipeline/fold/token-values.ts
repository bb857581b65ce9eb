import { squareRoot } from '#libs/chain/amm/square-root.js';
import { greatest, least } from '#libs/core/bigint-order.js';
import type { Hex } from '#libs/core/ids.js';
import { type E18, type E36, ONE_E36, pow10 } from '#libs/core/money.js';
import { type Backing, exitOf, isUnknown, knotsOf, type PricePart, weightsOf } from './backing.js';
import { amountUsd, plausiblePrice, usdPrice } from './price-rule.js';

/**
 * What tokens and amounts of them are worth (docs/prices.md), from what backs their prices.
 *
 * Invariants. The price is the one at which the pools that count would not trade against each other: a pool with a price far from the others moves
 * it by what its own money would. A token counts as money in the pools that are quoted in it only as far as it can be sold to the
 * coin and the stables: all such claims on it together, and its own exit, are no more than what those pools pay.
 */
export interface PriceLookup {
  /** USD of the coin's wrapped token or of a stable; null when it has none now; undefined when the token is neither. */
  reference(token: Hex): E36 | null | undefined;
  /** What backs the token's price, or nothing. */
  backing(token: Hex): Backing | null | undefined;
}

/** `curve`: a bonding curve sets the price; `thin`: a sale down to a quarter of the price brings less than 500 USD. */
type PriceBasis = 'deep' | 'thin' | 'curve';

/** Below this the price of a token is thin. */
export const THIN_USD: E18 = 500n * pow10(18);

/** Of a token that is worth less than this no amount counts as money: its rate would be mostly rounding. */
export const LEAST_RATE: E36 = pow10(12);

/** A token as money, where pools are quoted in it. */
interface Quote {
  /** Of one token, by its pools against the coin and the stables alone; without the bound of what a market can have. */
  readonly usd: E36;
  /** Of each of the tokens that are in pools quoted in it. */
  readonly rate: E36;
  /** What its own exit is without the claims of those pools, and the claims. */
  readonly exit: E36;
  readonly claimed: E36;
}

export interface TokenWorth {
  /** What a sale down to a quarter of the price brings; null for the coin and the stables. */
  exitUsd: E18 | null;
  /** What a sale brings that lowers the price by 2 % and by 10 %. */
  depthUsd: { percent2: E18; percent10: E18 } | null;
  basis: PriceBasis | null;
}

const UNKNOWN_WORTH: TokenWorth = { exitUsd: null, depthUsd: null, basis: null };

/** A view on prices. What quotes pools is worked out once. */
export class TokenValues {
  private readonly quotes = new Map<Hex, Quote | null>();

  constructor(
    readonly lookup: PriceLookup,
    private readonly leastRate = LEAST_RATE,
  ) {}

  /** USD price; null when unknown or above what a market can have. */
  usd(token: Hex): E36 | null {
    const reference = this.lookup.reference(token);
    if (reference !== undefined) return reference;
    const backing = this.lookup.backing(token);
    if (!backing) return null;
    // A token without pools against coin or stables is priced at the prices of others, one with such pools at what those have by theirs.
    const isDirect = backing.parts.some(({ quote }) => this.lookup.reference(quote) !== undefined);
    const usd = this.zeroFlow(backing.parts, isDirect ? this.ownPools : this.allPools);
    return usd === null ? null : plausiblePrice(usd);
  }

  /** USD for one whole token where it is what a pool holds with another token: the exit rate of what is neither coin nor stable. */
  rate(token: Hex): E36 | null {
    const reference = this.lookup.reference(token);
    return reference !== undefined ? reference : (this.quote(token)?.rate ?? null);
  }

  /** Of the exit of a token what pools claim that are quoted in it, in parts of `ONE_E36`; at most a half. */
  claimedShare(token: Hex): E36 {
    const quote = this.lookup.reference(token) === undefined ? this.quote(token) : null;
    return quote === null || quote.exit === 0n ? 0n : (quote.claimed * ONE_E36) / quote.exit;
  }

  /** Whether pools are quoted in it, so that it is money there. */
  isPooled(token: Hex): boolean {
    return (this.lookup.backing(token)?.pooled ?? 0n) > 0n && this.quote(token) !== null;
  }

  /** USD value of an amount: at the price as far as a sale of it would lower that by 2 % at most, beyond it by what a sale brings. */
  worth(token: Hex, amount: bigint, decimals: number): E18 | null {
    const usd = this.usd(token);
    if (usd === null) return null;
    const atPrice = amountUsd(amount, decimals, usd);
    if (atPrice === null || this.lookup.reference(token) !== undefined) return atPrice;
    const [near, ...far] = this.knots(this.parts(token));
    if (near === undefined || amount <= near.sold) return atPrice;
    // At the price as far as the first knot, from there along the chords.
    const value = amountUsd(near.sold, decimals, usd)! + chord(near, far, amount) / pow10(18);
    return least(value, atPrice);
  }

  /** What a sale of an amount brings; null where that is not known. Coin and stables are money at their price. */
  sale(token: Hex, amount: bigint, decimals: number): E18 | null {
    const usd = this.usd(token);
    if (usd === null) return null;
    const atPrice = amountUsd(amount, decimals, usd);
    if (this.lookup.reference(token) !== undefined) return atPrice;
    const parts = this.parts(token);
    if (parts.some(({ curve }) => isUnknown(curve))) return null;
    const brought = chord(NOTHING, this.knots(parts), amount) / pow10(18);
    return atPrice === null ? brought : least(brought, atPrice);
  }

  /** Of a token, or of what one of its pools alone gives. */
  about(token: Hex, pool?: Hex): TokenWorth {
    const usd = this.usd(token);
    if (this.lookup.reference(token) !== undefined) return { ...UNKNOWN_WORTH, basis: usd === null ? null : 'deep' };
    const parts = this.parts(token, pool);
    if (parts.some(({ curve }) => isUnknown(curve))) return UNKNOWN_WORTH;
    const exitUsd = pool === undefined ? this.exit(token) : this.exitOf(parts) / pow10(18);
    const [near, far] = this.knots(parts);
    return {
      exitUsd,
      depthUsd: { percent2: (near?.brought ?? 0n) / pow10(18), percent10: (far?.brought ?? 0n) / pow10(18) },
      basis: usd === null ? null : basisOf(parts, exitUsd),
    };
  }

  /** What a sale down to a quarter of the price brings. */
  exit(token: Hex): E18 {
    return (this.exitOf(this.parts(token)) - (this.quote(token)?.claimed ?? 0n)) / pow10(18);
  }

  private parts(token: Hex, pool?: Hex): readonly PricePart[] {
    const parts = this.lookup.backing(token)?.parts ?? [];
    return pool === undefined ? parts : parts.filter((part) => part.pool === pool);
  }

  private exitOf(parts: readonly PricePart[]): E36 {
    return parts.reduce((sum, part) => sum + this.inUsd(part, exitOf(part.curve)), 0n);
  }

  /** By what they bring in USD · 10^36. */
  private knots(parts: readonly PricePart[]): Knot[] {
    return sumKnots(parts, (part, amount) => this.inUsd(part, amount));
  }

  private inUsd({ quote, quoteDecimals }: PricePart, amount: bigint): E36 {
    return (amount * (this.rate(quote) ?? 0n)) / pow10(quoteDecimals);
  }

  private quote(token: Hex): Quote | null {
    let quote = this.quotes.get(token);
    if (quote === undefined) {
      quote = this.workOutQuote(token);
      this.quotes.set(token, quote);
    }
    return quote;
  }

  /** Pools against the coin and the stables alone decide what a token is as money, so that no two tokens hang on each other. */
  private workOutQuote(token: Hex): Quote | null {
    const backing = this.lookup.backing(token);
    if (!backing) return null;
    const parts = backing.parts.filter(({ quote }) => this.lookup.reference(quote) !== undefined);
    const usd = this.zeroFlow(parts, () => null);
    if (usd === null) return null;
    const knots = sumKnots(parts, ({ quote, quoteDecimals }, amount) => {
      return (amount * (this.lookup.reference(quote) ?? 0n)) / pow10(quoteDecimals);
    });
    const exit = knots.at(-1)?.brought ?? 0n;
    const { pooled } = backing;
    if (pooled === 0n) return { usd, rate: usd < this.leastRate ? 0n : usd, exit, claimed: 0n };
    const all = chord(NOTHING, knots, pooled);
    const claimed = least(all, exit / 2n);
    const whole = pow10(backing.decimals);
    const claim = (claimed * whole) / pooled;
    const rate = least(claim, usd);
    return { usd, rate: rate < this.leastRate ? 0n : rate, exit, claimed };
  }

  /** The price at which what the dearer pools take of the token is what the cheaper ones pay of it. */
  private zeroFlow(parts: readonly PricePart[], tokenUsd: (quote: Hex) => E36 | null): E36 | null {
    const [only] = parts;
    if (parts.length === 1) {
      const quoteUsd = this.quoteUsd(only!.quote, tokenUsd);
      return quoteUsd === null ? null : usdPrice(only!.spot, quoteUsd);
    }
    const points: Point[] = [];
    for (const { quote, spot, curve } of parts) {
      const quoteUsd = this.quoteUsd(quote, tokenUsd);
      if (quoteUsd === null) continue;
      const { down, up } = weightsOf(curve);
      const rate = this.rate(quote)!;
      const scale = (weight: bigint): bigint => (rate >= quoteUsd ? weight : (weight * rate) / quoteUsd);
      points.push({ usd: usdPrice(spot, quoteUsd), down: scale(down), up: scale(up) });
    }
    return points.length === 0 ? null : balance(points);
  }

  private quoteUsd(quote: Hex, tokenUsd: (quote: Hex) => E36 | null): E36 | null {
    const reference = this.lookup.reference(quote);
    return reference === undefined ? tokenUsd(quote) : reference;
  }

  /** Price of a token by its pools against coin and stables. */
  private readonly ownPools = (token: Hex): E36 | null => {
    const usd = this.quote(token)?.usd;
    return usd === undefined ? null : plausiblePrice(usd);
  };

  /** The same with its pools against other tokens: as it is shown. */
  private readonly allPools = (token: Hex): E36 | null => (this.quote(token) === null ? null : this.usd(token));
}

export interface PoolSides {
  token0: Hex;
  token1: Hex;
  reserve0: bigint;
  reserve1: bigint;
  /** null: unknown, that side is worth nothing here. */
  decimals0: number | null;
  decimals1: number | null;
}

/**
 * What a pool is worth: what it holds of the coin, of stables, and of tokens as far as those can be taken out; and of the token that is
 * sold there no more than that again. Null when neither side is money, or it is more than a market can have.
 */
export function poolLiquidityUsd(values: TokenValues, pool: PoolSides): E18 | null {
  const { token0, token1 } = pool;
  const first = sideOf(values, token0, pool.reserve0, { other: token1, decimals: pool.decimals0 });
  const second = sideOf(values, token1, pool.reserve1, { other: token0, decimals: pool.decimals1 });
  if (first.money === null && second.money === null) return null;
  if (first.money !== null && second.money !== null) return first.money + second.money;
  const [money, other] = first.money === null ? [second, first] : [first, second];
  const most = least(other.atPrice ?? 0n, money.money!);
  const share = greatest(first.claimed, second.claimed);
  return money.money! + (most * (ONE_E36 - 2n * share)) / ONE_E36;
}

function sideOf(
  values: TokenValues,
  token: Hex,
  reserve: bigint,
  { other, decimals }: { other: Hex; decimals: number | null },
) {
  if (decimals === null) return { money: null, atPrice: null, claimed: 0n };
  const isReference = (id: Hex): boolean => values.lookup.reference(id) !== undefined;
  const isMoney = isReference(token) || (!isReference(other) && values.isPooled(token));
  const rate = isMoney ? values.rate(token) : null;
  const usd = values.usd(token);
  return {
    money: rate === null ? null : amountUsd(reserve, decimals, rate),
    atPrice: usd === null ? null : amountUsd(reserve, decimals, usd),
    claimed: values.claimedShare(token),
  };
}

/** A cap that a sale could bring the hundred-thousandth part of is none. */
const MOST_CAP_FOR_EXIT = 100_000n;

/** A market cap as it is shown: null where next to nothing of it could be taken out. */
export const backedCap = (cap: E18 | null, { exitUsd }: TokenWorth): E18 | null =>
  cap !== null && exitUsd !== null && cap > MOST_CAP_FOR_EXIT * exitUsd ? null : cap;

function basisOf([first]: readonly PricePart[], exitUsd: E18): PriceBasis {
  if (first?.curve.form === 'launch') return 'curve';
  return exitUsd < THIN_USD ? 'thin' : 'deep';
}

interface Knot {
  readonly sold: bigint;
  readonly brought: E36;
}

const NOTHING: Knot = { sold: 0n, brought: 0n };

/** A sale that ends at the same distance in each pool: each further knot sells more and brings more. */
function sumKnots(parts: readonly PricePart[], inUsd: (part: PricePart, amount: bigint) => E36): Knot[] {
  if (parts.length === 0) return [];
  const sums = [0, 1, 2].map(() => ({ sold: 0n, brought: 0n }));
  for (const part of parts) {
    const { sold, brought } = knotsOf(part.curve);
    for (let k = 0; k < 3; k++) {
      sums[k]!.sold += sold[k]!;
      sums[k]!.brought += inUsd(part, brought[k]!);
    }
  }
  return sums;
}

/** What a sale brings after `from`, by straight lines between the knots; nothing more after the last one. */
function chord(from: Knot, knots: readonly Knot[], amount: bigint): E36 {
  let before = from;
  for (const knot of knots) {
    if (amount < knot.sold) {
      const part = ((knot.brought - before.brought) * (amount - before.sold)) / (knot.sold - before.sold);
      return before.brought + part - from.brought;
    }
    before = knot;
  }
  return before.brought - from.brought;
}

/** A pool's price, and how much of the token it takes and pays on its way from there, for each like step of the price's root. */
interface Point {
  readonly usd: E36;
  readonly down: bigint;
  readonly up: bigint;
}

/**
 * With L the liquidity of a side of a pool and r the root of its price, the flow to the root R is L · (1/R − 1/r), and the weight of
 * a point is L / r. So that all flows sum up to nothing where R is the mean of the roots by these weights, of the paying side below
 * R and of the taking side above it.
 */
function balance(points: Point[]): E36 {
  points.sort((a, b) => (a.usd < b.usd ? -1 : a.usd > b.usd ? 1 : 0));
  const last = points.length - 1;
  if (points[0]!.usd === points[last]!.usd) return points[0]!.usd;
  const roots = points.map(({ usd }) => squareRoot(usd * ONE_E36));
  for (let cheaper = 1; cheaper < last; cheaper++) {
    const { sum, weights } = weighted(points, roots, cheaper);
    // At the root of the next one they still take more than the others pay.
    if (sum > weights * roots[cheaper]! || weights === 0n) continue;
    return square(sum / weights);
  }
  const { sum, weights } = weighted(points, roots, last);
  return weights === 0n ? points[last]!.usd : square(sum / weights);
}

const square = (root: bigint): E36 => (root * root) / ONE_E36;

function weighted(points: readonly Point[], roots: readonly bigint[], cheaper: number) {
  let [sum, weights] = [0n, 0n];
  for (const [at, { down, up }] of points.entries()) {
    const weight = at < cheaper ? up : down;
    sum += weight * roots[at]!;
    weights += weight;
  }
  return { sum, weights };
}

const known = new WeakMap<PriceLookup, TokenValues>();

/** The values over a lookup that does not change. */
export function valuesOver(lookup: PriceLookup): TokenValues {
  let values = known.get(lookup);
  if (values === undefined) {
    values = new TokenValues(lookup);
    known.set(lookup, values);
  }
  return values;
}

/** USD price of any token; null when unknown or above what a market can have. */
export const tokenUsd = (lookup: PriceLookup, token: Hex): E36 | null => valuesOver(lookup).usd(token);
