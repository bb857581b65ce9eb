import { sqrtRatioAtTick } from '#libs/chain/amm/tick-math.js';
import { type NaivePart, NaiveWorth, naiveCurve } from '#libs/devkit/testing/histories/naive-worth.js';

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
  private readonly parts = new Map<string, NaivePart[]>();
  private readonly levels = new Map<string, 2 | 3>();
  private readonly worth: NaiveWorth;

  constructor(
    private readonly tokens: TruthTokens,
    private readonly pools: readonly TruthPool[],
  ) {
    this.findReferences();
    const plain = new Set(pools.flatMap(({ token0, token1 }) => [token0, token1]).filter((t) => !this.isReference(t)));
    const pooled = this.pooled();
    const decimals = (token: string): number => tokens.decimals.get(token)!;
    this.worth = new NaiveWorth(this.references, this.parts, decimals, (token) => pooled.get(token) ?? 0n);
    for (const token of plain) {
      const parts = this.choose(token, (quote) => this.references.get(quote) ?? null);
      if (parts.length === 0) continue;
      this.parts.set(token, parts);
      this.levels.set(token, 2);
    }
    const money = new Set(this.parts.keys());
    for (const token of plain) {
      const parts = this.choose(token, (quote) => (money.has(quote) ? this.worth.rate(quote) : null));
      if (parts.length === 0) continue;
      if (!money.has(token)) this.levels.set(token, 3);
      this.parts.set(token, [...(this.parts.get(token) ?? []), ...parts]);
    }
  }

  /** Stable 0, coin 1, priced by those 2, priced by level 2 are 3; 4 has no price. */
  level(token: string): number {
    if (this.tokens.stables.includes(token)) return 0;
    return token === this.tokens.coin ? 1 : (this.levels.get(token) ?? 4);
  }

  usd(token: string): bigint | null {
    if (this.isReference(token)) return this.references.get(token) ?? null;
    return this.worth.usd(token);
  }

  /** What a whole token counts as where pools are quoted in it. */
  rate(token: string): bigint | null {
    return this.worth.rate(token);
  }

  /** What an amount is worth. */
  ofAmount(token: string, amount: bigint): bigint | null {
    return this.worth.ofAmount(token, amount, this.tokens.decimals.get(token)!);
  }

  /** Of its exit what pools quoted in it claim, as a fraction. */
  claimed(token: string): { part: bigint; whole: bigint } {
    return this.isReference(token) ? { part: 0n, whole: 1n } : this.worth.claimed(token);
  }

  /** Next to another token. */
  isMoney(token: string, other: string): boolean {
    if (this.isReference(token) || this.isReference(other)) return this.isReference(token);
    return this.level(token) === 2 && this.worth.roundedPooled(token) > 0n;
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
        const isOff = price !== null && (price < ONE - PERCENT || price > ONE + PERCENT);
        return isOff && !judged.has(stable) ? [{ stable, price }] : [];
      });
      if (off.length === 0) break;
      const lowest = off.reduce((a, b) => (b.price < a.price ? b : a));
      usd.set(lowest.stable, counted(lowest.price));
      judged.add(lowest.stable);
    }
    usd.set(coin, coinBy(stables));
  }

  /** What is in pools of two tokens that are neither coin nor stable. */
  private pooled(): Map<string, bigint> {
    const sums = new Map<string, bigint>();
    for (const { token0, token1, reserve0, reserve1 } of this.pools) {
      if (this.isReference(token0) || this.isReference(token1)) continue;
      sums.set(token0, (sums.get(token0) ?? 0n) + reserve0);
      sums.set(token1, (sums.get(token1) ?? 0n) + reserve1);
    }
    return sums;
  }

  /** The four deepest pools against quotes that are worth something. */
  private choose(token: string, worthOf: (quote: string) => bigint | null): NaivePart[] {
    const found: { part: NaivePart; weight: bigint }[] = [];
    for (const pool of this.pools) {
      if (pool.hooked || (pool.token0 !== token && pool.token1 !== token)) continue;
      const quote = otherOf(pool, token);
      const usd = worthOf(quote);
      const spot = this.spot(pool, token);
      if (usd === null || spot === null || !this.deepEnough(pool, quote, usd)) continue;
      const [baseDecimals, quoteDecimals] = [token, quote].map((of) => this.tokens.decimals.get(of)!) as [
        number,
        number,
      ];
      const seen = {
        token0IsBase: pool.token0 === token,
        spot,
        depth: depthOf(pool, quote),
        baseDecimals,
        quoteDecimals,
      };
      const curve = naiveCurve({ ...pool, kind: 'constant-product', ticks: netsOf(pool) }, pool.concentrated, seen);
      found.push({
        part: { pool: pool.address, quote, quoteDecimals, spot, curve },
        weight: this.weight(pool, quote, usd),
      });
    }
    found.sort((a, b) => (a.weight !== b.weight ? (a.weight > b.weight ? -1 : 1) : a.part.pool < b.part.pool ? -1 : 1));
    return found.slice(0, 4).map(({ part }) => part);
  }
}

/** Net liquidity at each end of a range. */
function netsOf({ ranges }: TruthPool): Map<number, [bigint, bigint]> {
  const nets = new Map<number, [bigint, bigint]>();
  const add = (tick: number, net: bigint): unknown => nets.set(tick, [0n, (nets.get(tick)?.[1] ?? 0n) + net]);
  for (const { lower, upper, liquidity } of ranges?.values() ?? []) {
    add(lower, liquidity);
    add(upper, -liquidity);
  }
  return nets;
}

/** A stable off by one percent is still worth a dollar, by two what was measured. */
function counted(price: bigint): bigint {
  const off = price < ONE ? ONE - price : price - ONE;
  const by = off >= 2n * PERCENT ? off : 2n * (off - PERCENT);
  return price < ONE ? ONE - by : ONE + by;
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
