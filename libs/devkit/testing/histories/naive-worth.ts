import type { Hex } from '#libs/core/ids.js';
import type { PoolKind } from '#libs/protocol/blocks.js';
import type { NaivePool } from './naive-pool.js';
import { flows } from './naive-ranges.js';

/** What tokens are worth, from all that backs their prices, worked out by trying (docs/prices.md). */
const E36 = 10n ** 36n;
const TEN = (n: number): bigint => 10n ** BigInt(n);

export interface NaivePart {
  pool: Hex;
  quote: Hex;
  quoteDecimals: number;
  spot: bigint;
  curve: NaiveCurve;
}

/** As facts have it: `product` or `launch` with two reserves, `ranges` with weights, what is sold to each knot, and what that brings. */
type NaiveCurve = [string, ...bigint[]];

interface Seen {
  token0IsBase: boolean;
  spot: bigint;
  depth: bigint;
  baseDecimals: number;
  quoteDecimals: number;
}

const SOLD = [10_152_544_553n, 54_092_553_390n, 10n ** 12n];
const BROUGHT = [10_050_506_338n, 51_316_701_949n, 5n * 10n ** 11n];
const ROOTS = [989_949_493_661n, 948_683_298_050n];

const upwards = (over: bigint, under: bigint): bigint => (over + under - 1n) / under;
const atMost = (a: bigint, b: bigint): bigint => (a < b ? a : b);

type CurvedPool = Omit<NaivePool, 'record' | 'anchored' | 'setApart'> & { kind: PoolKind };

export function naiveCurve(pool: CurvedPool, ranged: boolean, seen: Seen): NaiveCurve {
  const { token0IsBase, spot, depth, baseDecimals, quoteDecimals } = seen;
  const [base, quote] = token0IsBase ? [pool.reserve0, pool.reserve1] : [pool.reserve1, pool.reserve0];
  if (!ranged) {
    if (pool.kind === 'constant-product') return ['product', base, depth];
    const fair = upwards(depth * TEN(baseDecimals) * E36, spot * TEN(quoteDecimals));
    return [pool.kind === 'curve' ? 'launch' : 'product', fair, depth];
  }
  const root = pool.sqrtPriceX96;
  const ends = ROOTS.map((r) => (token0IsBase ? (root * r) / 10n ** 12n : (root * 10n ** 12n) / r));
  const sums = flows(pool, [...ends, token0IsBase ? root / 2n : root * 2n]);
  const sold = sums.map(({ token0, token1 }) => (token0IsBase ? token0 : token1) + 1n);
  const brought = sums.map(({ token0, token1 }) => atMost(token0IsBase ? token1 : token0, quote));
  const paid = flows(pool, [token0IsBase ? root * 2n : root / 2n])[0]!;
  const up = atMost(token0IsBase ? paid.token0 : paid.token1, base);
  const down = (brought[2]! * TEN(baseDecimals) * E36) / (spot * TEN(quoteDecimals));
  return ['ranges', down, up, ...sold, ...brought];
}

/** Amounts of a curve by their meaning. */
function read([form, ...n]: NaiveCurve) {
  if (form === 'ranges') return { down: n[0]!, up: n[1]!, sold: n.slice(2, 5), brought: n.slice(5, 8) };
  const [base, quote] = n as [bigint, bigint];
  return {
    ...{ down: base / 2n, up: base / 2n },
    sold: SOLD.map((share) => upwards(base * share, 10n ** 12n)),
    brought: BROUGHT.map((share) => (quote * share) / 10n ** 12n),
  };
}

export class NaiveWorth {
  constructor(
    private readonly references: Map<Hex, bigint | null>,
    private readonly parts: Map<Hex, NaivePart[]>,
    private readonly decimals: (token: Hex) => number | null,
    private readonly pooled: (token: Hex) => bigint,
  ) {}

  usd(token: Hex): bigint | null {
    const parts = this.parts.get(token) ?? [];
    const isDirect = this.directParts(token).length > 0;
    const priceOf = (quote: Hex): bigint | null => (isDirect ? this.quotePrice(quote) : this.shownPrice(quote));
    const usd = this.meeting(
      parts.map((part) => ({ part, quoteUsd: priceOf(part.quote), rate: this.rate(part.quote) })),
    );
    return usd !== null && usd <= TEN(45) ? usd : null;
  }

  /** What one whole token counts as money. */
  rate(token: Hex): bigint | null {
    if (this.references.has(token)) return this.references.get(token)!;
    const direct = this.direct(token);
    if (direct === null) return null;
    let rate = direct;
    const pooled = this.roundedPooled(token);
    if (pooled > 0n) {
      const { part } = this.claimed(token);
      const share = (part * TEN(this.decimals(token)!)) / pooled;
      rate = atMost(rate, share);
    }
    return rate < TEN(12) ? 0n : rate;
  }

  /** What pools quoted in it claim of the token's own exit. */
  claimed(token: Hex): { part: bigint; whole: bigint } {
    const knots = this.knots(this.directParts(token));
    const whole = knots[2]!.brought;
    const part = atMost(whole / 2n, between([{ sold: 0n, brought: 0n }, ...knots], this.roundedPooled(token)));
    return { part, whole };
  }

  /** Up to six bits. */
  roundedPooled(token: Hex): bigint {
    const amount = this.pooled(token);
    let step = 1n;
    while (amount / step >= 64n) step *= 2n;
    return upwards(amount, step) * step;
  }

  ofAmount(token: Hex, amount: bigint, decimals: number): bigint | null {
    const usd = this.usd(token);
    if (usd === null) return null;
    const atPrice = (amount * usd) / TEN(decimals + 18);
    const knots = this.knots(this.parts.get(token)!);
    if (amount <= knots[0]!.sold) return atPrice;
    const near = (knots[0]!.sold * usd) / TEN(decimals + 18);
    return atMost(atPrice, near + (between(knots, amount) - knots[0]!.brought) / TEN(18));
  }

  private directParts(token: Hex): NaivePart[] {
    return (this.parts.get(token) ?? []).filter(({ quote }) => this.references.has(quote));
  }

  /** By pools against coin and stables alone. */
  private direct(token: Hex): bigint | null {
    return this.meeting(
      this.directParts(token).map((part) => {
        const quoteUsd = this.references.get(part.quote)!;
        return { part, quoteUsd, rate: quoteUsd };
      }),
    );
  }

  /** Of a token without pools against coin or stables the quotes are priced as they are shown. */
  private shownPrice(token: Hex): bigint | null {
    return this.references.has(token) ? this.references.get(token)! : this.usd(token);
  }

  private quotePrice(token: Hex): bigint | null {
    if (this.references.has(token)) return this.references.get(token)!;
    const usd = this.direct(token);
    return usd !== null && usd <= TEN(45) ? usd : null;
  }

  /** The highest root at which the dearer pools still take as much as the cheaper ones pay, found by halving. */
  private meeting(seen: { part: NaivePart; quoteUsd: bigint | null; rate: bigint | null }[]): bigint | null {
    const points = seen.flatMap(({ part, quoteUsd, rate }) => {
      if (quoteUsd === null) return [];
      const { down, up } = read(part.curve);
      const share = (weight: bigint): bigint => (rate! >= quoteUsd ? weight : (weight * rate!) / quoteUsd);
      const usd = (part.spot * quoteUsd) / E36;
      return [{ usd, root: rootOf(usd * E36), down: share(down), up: share(up) }];
    });
    if (points.length === 0) return null;
    if (points.every(({ usd }) => usd === points[0]!.usd)) return points[0]!.usd;
    const surplus = (root: bigint): bigint =>
      points.reduce((sum, point) => sum + (point.root > root ? point.down : point.up) * (point.root - root), 0n);
    let low = points.reduce((least, { root }) => atMost(least, root), points[0]!.root);
    let high = points.reduce((most, { root }) => -atMost(-most, -root), 0n);
    if (surplus(high) >= 0n) return squared(points, high);
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      if (surplus(middle) >= 0n) low = middle;
      else high = middle;
    }
    return (low * low) / E36;
  }

  private knots(parts: NaivePart[]): { sold: bigint; brought: bigint }[] {
    const curves = parts.map((part) => ({ part, curve: read(part.curve) }));
    return [0, 1, 2].map((k) => ({
      sold: curves.reduce((sum, { curve }) => sum + curve.sold[k]!, 0n),
      brought: curves.reduce(
        (sum, { part, curve }) => sum + (curve.brought[k]! * (this.rate(part.quote) ?? 0n)) / TEN(part.quoteDecimals),
        0n,
      ),
    }));
  }
}

/** Where no cheaper pool pays anything the dearest one's price remains, unless it takes something. */
function squared(points: readonly { usd: bigint; root: bigint; down: bigint }[], root: bigint): bigint {
  const takes = points.some((point) => point.root === root && point.down > 0n);
  return takes ? (root * root) / E36 : points.find((point) => point.root === root)!.usd;
}

/** On the lines between knots, and level after the last one. */
function between(knots: { sold: bigint; brought: bigint }[], amount: bigint): bigint {
  const at = knots.findIndex(({ sold }) => amount < sold);
  if (at < 0) return knots.at(-1)!.brought;
  const [from, to] = [knots[at - 1]!, knots[at]!];
  return from.brought + ((to.brought - from.brought) * (amount - from.sold)) / (to.sold - from.sold);
}

function rootOf(square: bigint): bigint {
  let [low, high] = [0n, 1n];
  while (high * high <= square) high *= 2n;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle * middle <= square) low = middle;
    else high = middle;
  }
  return low;
}
