import { sqrtRatioAtTick } from '#libs/chain/amm/tick-math.js';

/**
 * Reference prices, spots and levels of a market, computed from all pools by the rules of prices (decisions,
 * section 8). It shares no code with the fold. Prices are scaled by 1e36; each is rounded down once.
 */
export interface TruthPool {
  address: string;
  dex: string;
  token0: string;
  token1: string;
  concentrated: boolean;
  /** V2: what Sync says. V3: what went in less what came out. V4: by its ranges. */
  reserve0: bigint;
  reserve1: bigint;
  sqrtPriceX96: bigint;
  tick: number;
  liquidity: bigint;
  /** V3 and V4: what was added by range less what was removed. V4: the reserves are what the ranges hold. */
  ranges?: Map<string, { lower: number; upper: number; liquidity: bigint }>;
  /** V4: hooks may change what a swap pays, so the pool sets no price. */
  hooked?: boolean;
}

export interface TruthTokens {
  coin: string;
  stables: readonly string[];
  decimals: ReadonlyMap<string, number>;
}

interface Seen {
  price: bigint;
  weight: bigint;
}

const ONE = 10n ** 36n;
const ten = (exponent: number): bigint => 10n ** BigInt(exponent);
const HIGHEST_PRICE = 10n ** 9n * ONE;
/** Ten USD of quote-side value. */
const LEAST_QUOTE_USD = 10n;
const PERCENT = ONE / 100n;

export const otherOf = (pool: TruthPool, token: string): string => (token === pool.token0 ? pool.token1 : pool.token0);
export const reserveOf = (pool: TruthPool, token: string): bigint =>
  token === pool.token0 ? pool.reserve0 : pool.reserve1;

const rootAt = (tick: number): bigint => sqrtRatioAtTick(tick);
const SCALE = 192n;

/**
 * What is behind a pool's price: what it holds of the quote token, of its ranges only what they pay while the other
 * token loses three quarters of its price. Position by position.
 */
function depthOf(pool: TruthPool, quote: string): bigint {
  const held = reserveOf(pool, quote);
  if (!pool.concentrated) return held;
  const { sqrtPriceX96: at } = pool;
  const is0 = quote === pool.token0;
  const [low, high] = is0 ? [at, 2n * at] : [at / 2n, at];
  let sum = 0n;
  for (const { lower, upper, liquidity } of pool.ranges!.values()) {
    const [from, to] = [rootAt(lower), rootAt(upper)];
    const [start, end] = [from > low ? from : low, to < high ? to : high];
    if (start >= end) continue;
    sum += is0 ? ((liquidity * (end - start)) << (96n + SCALE)) / (start * end) : liquidity * (end - start);
  }
  const near = sum >> (is0 ? SCALE : 96n);
  return near < held ? near : held;
}

export class TruthPrices {
  private readonly references = new Map<string, bigint | null>();
  private readonly chosen = new Map<string, { level: 2 | 3; quote: string; spot: bigint }>();

  constructor(
    private readonly tokens: TruthTokens,
    private readonly pools: readonly TruthPool[],
  ) {
    this.findReferences();
    const plain = new Set(pools.flatMap(({ token0, token1 }) => [token0, token1]).filter((t) => !this.isReference(t)));
    for (const token of plain) this.choose(token, 2);
    const second = new Map(this.chosen);
    for (const token of plain) if (!second.has(token)) this.choose(token, 3);
  }

  /** Stable 0, coin 1, priced by those 2, priced by level 2 are 3; 4 has no price. */
  level(token: string): number {
    if (this.tokens.stables.includes(token)) return 0;
    return token === this.tokens.coin ? 1 : (this.chosen.get(token)?.level ?? 4);
  }

  usd(token: string): bigint | null {
    if (this.isReference(token)) return this.references.get(token) ?? null;
    const choice = this.chosen.get(token);
    const quoteUsd = choice && this.usd(choice.quote);
    if (!choice || quoteUsd === null || quoteUsd === undefined) return null;
    const usd = (choice.spot * quoteUsd) / ONE;
    return usd > HIGHEST_PRICE ? null : usd;
  }

  get coinUsd(): bigint | null {
    return this.usd(this.tokens.coin);
  }

  /** Whole quote tokens for one whole token in that pool. */
  spot(pool: TruthPool, token: string): bigint | null {
    const scale = [this.tokens.decimals.get(token)!, this.tokens.decimals.get(otherOf(pool, token))!] as const;
    let [paid, got] = [reserveOf(pool, otherOf(pool, token)), reserveOf(pool, token)];
    if (pool.concentrated) {
      const squared = pool.sqrtPriceX96 ** 2n;
      [paid, got] = token === pool.token0 ? [squared, 2n ** 192n] : [2n ** 192n, squared];
    }
    if (paid <= 0n || got <= 0n) return null;
    const spot = (paid * ten(scale[0]) * ONE) / (got * ten(scale[1]));
    return spot === 0n ? null : spot;
  }

  /** Whether the pool's side of that token is worth enough to set a price. */
  deepEnough(pool: TruthPool, quote: string, quoteUsd: bigint): boolean {
    if (pool.hooked) return false;
    return depthOf(pool, quote) * quoteUsd >= LEAST_QUOTE_USD * ONE * ten(this.tokens.decimals.get(quote)!);
  }

  private isReference(token: string): boolean {
    return token === this.tokens.coin || this.tokens.stables.includes(token);
  }

  /** Comparable over quote tokens with up to 36 decimals. */
  private weight(pool: TruthPool, quote: string, quoteUsd: bigint): bigint {
    return depthOf(pool, quote) * quoteUsd * ten(36 - this.tokens.decimals.get(quote)!);
  }

  private see(token: string, quotes: readonly string[], usdOf: (quote: string) => bigint | null): Seen[] {
    return this.pools.flatMap((pool): Seen[] => {
      if (pool.token0 !== token && pool.token1 !== token) return [];
      const quote = otherOf(pool, token);
      const quoteUsd = quotes.includes(quote) ? usdOf(quote) : null;
      const spot = quoteUsd === null ? null : this.spot(pool, token);
      if (quoteUsd === null || spot === null || !this.deepEnough(pool, quote, quoteUsd)) return [];
      return [{ price: (spot * quoteUsd) / ONE, weight: this.weight(pool, quote, quoteUsd) }];
    });
  }

  private findReferences(): void {
    const { coin, stables } = this.tokens;
    const usd = this.references;
    for (const stable of stables) usd.set(stable, ONE);
    const coinBy = (by: readonly string[]) => median(this.see(coin, by, (stable) => usd.get(stable)!));
    const judged = new Set<string>();
    for (;;) {
      const off = stables.flatMap((stable) => {
        const others = stables.filter((other) => other !== stable);
        const coinUsd = coinBy(others);
        const seen = this.see(stable, [coin, ...others], (quote) => (quote === coin ? coinUsd : usd.get(quote)!));
        const price = median(seen);
        const low = price !== null && price < ONE - PERCENT && seen.filter((s) => s.price < ONE - PERCENT).length > 1;
        const high = price !== null && price > ONE + PERCENT && seen.filter((s) => s.price > ONE + PERCENT).length > 1;
        return (low || high) && !judged.has(stable) ? [{ stable, price: price! }] : [];
      });
      if (off.length === 0) break;
      const lowest = off.reduce((a, b) => (b.price < a.price ? b : a));
      usd.set(lowest.stable, lowest.price);
      judged.add(lowest.stable);
    }
    usd.set(coin, coinBy(stables));
  }

  /** The pool with the deepest quote side sets the price. */
  private choose(token: string, level: 2 | 3): void {
    let best: { quote: string; spot: bigint; weight: bigint; pool: TruthPool } | null = null;
    for (const pool of this.pools) {
      if (pool.hooked || (pool.token0 !== token && pool.token1 !== token)) continue;
      const quote = otherOf(pool, token);
      if (level === 2 ? !this.isReference(quote) : this.chosen.get(quote)?.level !== 2) continue;
      const quoteUsd = this.usd(quote);
      const spot = this.spot(pool, token);
      if (quoteUsd === null || spot === null) continue;
      const weight = this.weight(pool, quote, quoteUsd);
      if (best === null || weight > best.weight || (weight === best.weight && pool.address < best.pool.address))
        best = { quote, spot, weight, pool };
    }
    if (best === null || !this.deepEnough(best.pool, best.quote, this.usd(best.quote)!)) return;
    this.chosen.set(token, { level, quote: best.quote, spot: best.spot });
  }
}

/** The lowest price at which half of the weight is reached. */
function median(seen: Seen[]): bigint | null {
  const sorted = [...seen].sort((a, b) => (a.price < b.price ? -1 : a.price > b.price ? 1 : 0));
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0n);
  let reached = 0n;
  for (const { price, weight } of sorted) {
    reached += weight;
    if (2n * reached >= total) return price;
  }
  return null;
}
