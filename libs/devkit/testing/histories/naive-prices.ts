import type { Hex } from '#libs/core/ids.js';
import type { ReferenceSet, TokenRecord } from '#libs/protocol/blocks.js';
import type { PriceFact, TradeFact } from '#libs/protocol/facts.js';
import type { NaivePool } from './naive-pool.js';
import { paidDownwards, paidUpwards } from './naive-ranges.js';
import { type NaivePart, NaiveWorth, naiveCurve } from './naive-worth.js';

/** Section 8 of the decisions, worked out from all pools at once; the naive half of the naive model. */
const E36 = 10n ** 36n;
const TEN = (n: number): bigint => 10n ** BigInt(n);

interface Seen {
  price: bigint;
  weight: bigint;
}

type TradeValues = Omit<TradeFact, 'ordinal' | 'txOrdinal' | 'tx' | 'wallet' | 'sender'>;

export class NaivePrices {
  readonly references: Map<Hex, bigint | null>;
  private readonly parts = new Map<Hex, NaivePart[]>();
  private readonly levels = new Map<Hex, 2 | 3>();
  private readonly worth: NaiveWorth;
  private readonly coin: Hex;
  private readonly stables: Hex[];
  /** Decimals as they were when these prices were worked out do not matter to trades: they read the live map. */
  constructor(
    private readonly reference: ReferenceSet,
    private readonly tokens: Map<Hex, TokenRecord>,
    private readonly pools: Map<Hex, NaivePool>,
  ) {
    this.coin = reference.coin.token;
    this.stables = [...reference.stables].sort();
    this.references = this.workOutReferences();
    const plain = new Set<Hex>();
    for (const { record } of pools.values()) for (const t of [record.token0, record.token1]) plain.add(t);
    for (const t of [this.coin, ...this.stables]) plain.delete(t);
    const pooled = this.pooledNow();
    const decimalsOf = (token: Hex): number | null => this.decimals(token);
    this.worth = new NaiveWorth(this.references, this.parts, decimalsOf, (token) => pooled.get(token) ?? 0n);
    for (const token of plain) {
      const parts = this.choose(token, (quote) => this.references.get(quote) ?? null);
      if (parts.length === 0) continue;
      this.parts.set(token, parts);
      this.levels.set(token, 2);
    }
    const priced = new Set(this.parts.keys());
    const others = [...plain].map((token) => {
      return [token, this.choose(token, (quote) => (priced.has(quote) ? this.worth.rate(quote) : null))] as const;
    });
    for (const [token, parts] of others) {
      if (parts.length === 0) continue;
      if (!priced.has(token)) this.levels.set(token, 3);
      this.parts.set(token, [...(this.parts.get(token) ?? []), ...parts]);
    }
  }

  all(): Map<Hex, PriceFact> {
    return new Map(
      [...this.parts].map(([token, parts]) => {
        const { pool, quote, spot } = parts[0]!;
        const level = this.levels.get(token)!;
        const pooled = level === 2 ? this.worth.roundedPooled(token) : 0n;
        const texts = parts.map((part) =>
          [part.pool, part.quote, part.quoteDecimals, part.spot, ...part.curve].join(','),
        );
        const backing = [this.decimals(token), pooled, ...texts].join(';');
        return [token, { token, pool, quote, spot, level, backing }];
      }),
    );
  }

  /** What is in pools against tokens that are neither coin nor stable, of each token. */
  private pooledNow(): Map<Hex, bigint> {
    const sums = new Map<Hex, bigint>();
    for (const { record, reserve0, reserve1 } of this.pools.values()) {
      if (this.references.has(record.token0) || this.references.has(record.token1)) continue;
      sums.set(record.token0, (sums.get(record.token0) ?? 0n) + reserve0);
      sums.set(record.token1, (sums.get(record.token1) ?? 0n) + reserve1);
    }
    return sums;
  }

  trade(pool: NaivePool, amount0: bigint, amount1: bigint): TradeValues | null {
    if (amount0 * amount1 >= 0n) return null;
    const { token0, token1 } = pool.record;
    const [level0, level1] = [this.level(token0), this.level(token1)];
    const base = level0 > level1 || (level0 === level1 && token0 < token1) ? token0 : token1;
    const quote = base === token0 ? token1 : token0;
    const [baseDelta, quoteDelta] = base === token0 ? [amount0, amount1] : [amount1, amount0];
    const baseDecimals = this.decimals(base);
    const quoteDecimals = this.decimals(quote);
    if (baseDecimals === null || quoteDecimals === null) return null;
    const baseAmount = baseDelta < 0n ? -baseDelta : baseDelta;
    const quoteAmount = quoteDelta < 0n ? -quoteDelta : quoteDelta;
    const quoteUsd = this.usd(quote);
    const coinUsd = this.references.get(this.coin) ?? null;
    let priceUsd: bigint | null = null;
    let volumeUsd: bigint | null = null;
    let volumeCoin: bigint | null = null;
    if (quoteUsd !== null) {
      volumeUsd = (quoteAmount * quoteUsd * TEN(18)) / (TEN(quoteDecimals) * E36);
      if (volumeUsd > TEN(31)) volumeUsd = null;
      else {
        priceUsd = (quoteAmount * quoteUsd * TEN(baseDecimals)) / (TEN(quoteDecimals) * baseAmount);
        if (priceUsd > TEN(45)) priceUsd = null;
        if (coinUsd) volumeCoin = (quoteAmount * quoteUsd * TEN(18)) / (TEN(quoteDecimals) * coinUsd);
        if (!this.references.has(quote)) {
          volumeUsd = this.worth.ofAmount(quote, quoteAmount, quoteDecimals)!;
          if (coinUsd) volumeCoin = (volumeUsd * E36) / coinUsd;
        }
        if (volumeCoin !== null && volumeCoin >= TEN(38)) volumeCoin = null;
      }
    }
    const unbounded = priceUsd;
    const sets = priceUsd !== null && this.sets(pool, base, quote);
    if (!sets && this.usd(base) === null) priceUsd = null;
    return {
      pool: pool.record.pool,
      venue: pool.record.venue,
      base,
      quote,
      baseDecimals,
      quoteDecimals,
      side: baseDelta < 0n ? 'buy' : 'sell',
      baseAmount,
      quoteAmount,
      priceUsd,
      coinUsd,
      volumeUsd,
      volumeCoin,
      uncounted: this.whyNot(pool, base, quote, baseAmount, quoteAmount, unbounded, volumeUsd),
    };
  }

  private whyNot(
    pool: NaivePool,
    base: Hex,
    quote: Hex,
    sold: bigint,
    paid: bigint,
    priceUsd: bigint | null,
    volumeUsd: bigint | null,
  ): TradeFact['uncounted'] {
    const { spotFactor, dustCents } = this.reference.rules;
    if (priceUsd === null || volumeUsd === null) return 'no_price';
    if (volumeUsd < (BigInt(dustCents) * TEN(18)) / 100n) return 'dust';
    if (!pool.anchored) return 'unanchored';
    if (this.level(quote) > 2 || this.level(quote) >= this.level(base)) return 'quote_level';
    if (!this.sets(pool, base, quote)) return 'shallow';
    const spot = this.spot(pool, base);
    if (spot === null) return 'far_from_spot';
    // trade price / spot as a fraction
    const over = paid * TEN(this.decimals(base)!) * E36;
    const under = sold * TEN(this.decimals(quote)!) * spot;
    const factor = BigInt(spotFactor);
    return over < under * factor && over * factor > under ? null : 'far_from_spot';
  }

  private sets(pool: NaivePool, base: Hex, quote: Hex): boolean {
    if (!pool.anchored || this.level(quote) > 2 || this.level(quote) >= this.level(base)) return false;
    const rate = this.references.get(quote) ?? this.worth.rate(quote);
    const reserve = this.depth(pool, quote);
    return atLeast(reserve, rate ?? 0n, this.decimals(quote)!, leastUsd(pool, this.reference.rules.minQuoteUsd));
  }

  private level(token: Hex): number {
    if (token === this.coin) return 1;
    if (this.stables.includes(token)) return 0;
    return this.levels.get(token) ?? 4;
  }

  private decimals(token: Hex): number | null {
    if (token === this.coin) return this.reference.coin.decimals;
    const known = this.tokens.get(token)?.decimals ?? null;
    return known !== null && known <= 36 ? known : null;
  }

  private usd(token: Hex): bigint | null {
    return this.references.has(token) ? this.references.get(token)! : this.worth.usd(token);
  }

  /** Whole other tokens for one whole token, E36. */
  spot(pool: NaivePool, base: Hex): bigint | null {
    const { token0, token1, kind } = pool.record;
    const quote = base === token0 ? token1 : token0;
    const [baseDecimals, quoteDecimals] = [this.decimals(base), this.decimals(quote)];
    if (baseDecimals === null || quoteDecimals === null) return null;
    // raw quote for raw base, as a fraction
    let over = base === token0 ? pool.reserve1 : pool.reserve0;
    let under = base === token0 ? pool.reserve0 : pool.reserve1;
    if (kind !== 'constant-product') {
      const square = pool.sqrtPriceX96 ** 2n;
      [over, under] = base === token0 ? [square, 2n ** 192n] : [2n ** 192n, square];
      if (square === 0n) return null;
    }
    if (over === 0n || under === 0n) return null;
    const spot = (over * TEN(baseDecimals) * E36) / (under * TEN(quoteDecimals));
    return spot > 0n && spot < TEN(75) ? spot : null;
  }

  /** What is behind the pool's price: ranges further than a factor of four from it do not, and where they are unknown, what trades show. */
  private depth(pool: NaivePool, quote: Hex): bigint {
    const quoteIs0 = pool.record.token0 === quote;
    const held = quoteIs0 ? pool.reserve0 : pool.reserve1;
    if (pool.record.kind !== 'concentrated') return held;
    if (this.reference.family === 'solana' && !pool.rangesKnown) {
      if (pool.record.tickSpacing === 0) return held;
      const shown = pool.shown?.near[quoteIs0 ? 0 : 1] ?? 0n;
      return shown > held ? held : shown;
    }
    const near = quoteIs0 ? paidUpwards(pool) : paidDownwards(pool);
    if (near > held) return held;
    return near;
  }

  /** The four deepest pools against quotes that are worth something. */
  private choose(token: Hex, worthOf: (quote: Hex) => bigint | null): NaivePart[] {
    const options: { part: NaivePart; value: bigint }[] = [];
    for (const pool of this.pools.values()) {
      const { token0, token1 } = pool.record;
      if (token0 !== token && token1 !== token) continue;
      const quote = token0 === token ? token1 : token0;
      const quoteUsd = worthOf(quote);
      const spot = this.spot(pool, token);
      if (!pool.anchored || quoteUsd === null || spot === null) continue;
      const quoteDecimals = this.decimals(quote)!;
      const depth = this.depth(pool, quote);
      if (!atLeast(depth, quoteUsd, quoteDecimals, leastUsd(pool, this.reference.rules.minQuoteUsd))) continue;
      const ranged =
        pool.record.kind === 'concentrated' && (this.reference.family !== 'solana' || pool.rangesKnown === true);
      const seen = { token0IsBase: token0 === token, spot, depth, baseDecimals: this.decimals(token)!, quoteDecimals };
      const curve = naiveCurve({ ...pool, kind: pool.record.kind }, ranged, seen);
      options.push({
        part: { pool: pool.record.pool, quote, quoteDecimals, spot, curve },
        value: depth * quoteUsd * TEN(36 - quoteDecimals),
      });
    }
    options.sort((a, b) => (a.value !== b.value ? (a.value > b.value ? -1 : 1) : a.part.pool < b.part.pool ? -1 : 1));
    return options.slice(0, 4).map(({ part }) => part);
  }

  private workOutReferences(): Map<Hex, bigint | null> {
    const usd = new Map<Hex, bigint>(this.stables.map((stable) => [stable, E36]));
    const fixed = new Set<Hex>();
    for (;;) {
      const off = this.stables
        .filter((stable) => !fixed.has(stable))
        .map((stable) => ({ stable, price: this.offPeg(stable, usd) }))
        .filter((found): found is { stable: Hex; price: bigint } => found.price !== null)
        .sort((a, b) => (a.price < b.price ? -1 : a.price > b.price ? 1 : a.stable < b.stable ? -1 : 1))[0];
      if (off === undefined) break;
      usd.set(off.stable, this.counted(off.price));
      fixed.add(off.stable);
    }
    return new Map<Hex, bigint | null>([...usd, [this.coin, this.coinUsd(usd, null)]]);
  }

  private offPeg(stable: Hex, usd: Map<Hex, bigint>): bigint | null {
    const quotes = new Map<Hex, bigint>([...usd].filter(([other]) => other !== stable));
    const coinUsd = this.coinUsd(usd, stable);
    if (coinUsd !== null) quotes.set(this.coin, coinUsd);
    const seen = this.observe(stable, quotes);
    const tolerance = (E36 * BigInt(this.reference.rules.depegBps)) / 10_000n;
    const median = weightedMedian(seen);
    if (median === null) return null;
    return median >= E36 - tolerance && median <= E36 + tolerance ? null : median;
  }

  /** 1 up to a tolerance off, as measured from two on; each half of the second one counts for a whole. */
  private counted(price: bigint): bigint {
    const tolerance = (E36 * BigInt(this.reference.rules.depegBps)) / 10_000n;
    if (price <= E36 - 2n * tolerance || price >= E36 + 2n * tolerance) return price;
    return price < E36 ? E36 - (E36 - tolerance - price) * 2n : E36 + (price - E36 - tolerance) * 2n;
  }

  private coinUsd(usd: Map<Hex, bigint>, without: Hex | null): bigint | null {
    return weightedMedian(this.observe(this.coin, new Map([...usd].filter(([stable]) => stable !== without))));
  }

  /** USD prices of a token in all its deep enough pools against these quotes. */
  private observe(token: Hex, quotes: Map<Hex, bigint>): Seen[] {
    const seen: Seen[] = [];
    for (const pool of this.pools.values()) {
      const { token0, token1 } = pool.record;
      const quote = token0 === token ? token1 : token1 === token ? token0 : null;
      if (quote === null || !pool.anchored) continue;
      const quoteUsd = quotes.get(quote);
      const decimals = this.decimals(quote);
      const spot = this.spot(pool, token);
      if (quoteUsd === undefined || decimals === null || spot === null) continue;
      const reserve = this.depth(pool, quote);
      if (!atLeast(reserve, quoteUsd, decimals, this.reference.rules.minQuoteUsd)) continue;
      const price = (spot * quoteUsd) / E36;
      if (price > 0n && price <= TEN(45)) seen.push({ price, weight: reserve * quoteUsd * TEN(36 - decimals) });
    }
    return seen;
  }
}

const leastUsd = (pool: NaivePool, minimum: number): number => (pool.record.kind === 'curve' ? 0 : minimum);

function atLeast(reserve: bigint, usd: bigint, decimals: number, minimum: number): boolean {
  return reserve > 0n && usd > 0n && reserve * usd >= BigInt(minimum) * E36 * TEN(decimals);
}

function weightedMedian(seen: Seen[]): bigint | null {
  const sorted = [...seen].sort((a, b) => (a.price < b.price ? -1 : a.price > b.price ? 1 : 0));
  const total = sorted.reduce((sum, one) => sum + one.weight, 0n);
  let sum = 0n;
  for (const one of sorted) {
    sum += one.weight;
    if (sum * 2n >= total) return one.price;
  }
  return null;
}
