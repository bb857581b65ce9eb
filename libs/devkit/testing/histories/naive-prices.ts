import { sqrtRatioAtTick } from '#libs/chain/amm/tick-math.js';
import type { Hex } from '#libs/core/ids.js';
import type { ReferenceSet, TokenRecord } from '#libs/protocol/blocks.js';
import type { PriceFact, TradeFact } from '#libs/protocol/facts.js';
import type { NaivePool } from './naive-pool.js';

/** Section 8 of the decisions, worked out from all pools at once; the naive half of the naive model. */
const E36 = 10n ** 36n;
const TEN = (n: number): bigint => 10n ** BigInt(n);

interface Seen {
  price: bigint;
  weight: bigint;
}

type TradeValues = Omit<TradeFact, 'ordinal' | 'txOrdinal' | 'tx' | 'wallet'>;

export class NaivePrices {
  readonly references: Map<Hex, bigint | null>;
  private readonly level2 = new Map<Hex, PriceFact>();
  private readonly level3 = new Map<Hex, PriceFact>();
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
    for (const token of plain) this.choose(token, 2);
    for (const token of plain) if (!this.level2.has(token)) this.choose(token, 3);
  }

  all(): Map<Hex, PriceFact> {
    return new Map([...this.level2, ...this.level3]);
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
    const quoteUsd = this.usd(quote, true);
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
        if (volumeCoin !== null && volumeCoin >= TEN(38)) volumeCoin = null;
      }
    }
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
      counted: priceUsd !== null && this.counts(pool, base, quote, baseAmount, quoteAmount, volumeUsd ?? 0n),
    };
  }

  private counts(pool: NaivePool, base: Hex, quote: Hex, sold: bigint, paid: bigint, volumeUsd: bigint): boolean {
    const { minQuoteUsd, spotFactor, dustCents } = this.reference.rules;
    if (volumeUsd < (BigInt(dustCents) * TEN(18)) / 100n) return false;
    if (!pool.anchored || this.level(quote) > 2 || this.level(quote) >= this.level(base)) return false;
    const reserve = this.depth(pool, quote);
    const least = leastUsd(pool, minQuoteUsd);
    if (!atLeast(reserve, this.usd(quote, true)!, this.decimals(quote)!, least)) return false;
    const spot = this.spot(pool, base);
    if (spot === null) return false;
    // trade price / spot as a fraction
    const over = paid * TEN(this.decimals(base)!) * E36;
    const under = sold * TEN(this.decimals(quote)!) * spot;
    const factor = BigInt(spotFactor);
    return over < under * factor && over * factor > under;
  }

  private level(token: Hex): number {
    if (token === this.coin) return 1;
    if (this.stables.includes(token)) return 0;
    return this.level2.has(token) ? 2 : this.level3.has(token) ? 3 : 4;
  }

  private decimals(token: Hex): number | null {
    if (token === this.coin) return this.reference.coin.decimals;
    const known = this.tokens.get(token)?.decimals ?? null;
    return known !== null && known <= 36 ? known : null;
  }

  private usd(token: Hex, bounded: boolean): bigint | null {
    const reference = this.references.get(token);
    if (reference !== undefined) return reference;
    const price = this.level2.get(token) ?? this.level3.get(token);
    if (price === undefined) return null;
    const quoteUsd = this.usd(price.quote!, bounded);
    if (quoteUsd === null) return null;
    const usd = (price.spot! * quoteUsd) / E36;
    return bounded && usd > TEN(45) ? null : usd;
  }

  /** Whole other tokens for one whole token, E36. */
  private spot(pool: NaivePool, base: Hex): bigint | null {
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

  /** What is behind the pool's price: ranges further than a factor of four from it do not, where the log tells of them. */
  private depth(pool: NaivePool, quote: Hex): bigint {
    const quoteIs0 = pool.record.token0 === quote;
    const held = quoteIs0 ? pool.reserve0 : pool.reserve1;
    if (pool.record.kind !== 'concentrated' || this.reference.family === 'solana') return held;
    const near = quoteIs0 ? paidUpwards(pool) : paidDownwards(pool);
    if (near > held) return held;
    return near;
  }

  private choose(token: Hex, level: 2 | 3): void {
    const options: { pool: NaivePool; quote: Hex; spot: bigint; value: bigint }[] = [];
    for (const pool of this.pools.values()) {
      const { token0, token1 } = pool.record;
      if (token0 !== token && token1 !== token) continue;
      const quote = token0 === token ? token1 : token0;
      const quoteLevel = this.level(quote);
      if (level === 2 ? quoteLevel > 1 : quoteLevel !== 2) continue;
      const quoteUsd = this.usd(quote, false);
      const spot = this.spot(pool, token);
      const reserve = this.depth(pool, quote);
      if (!pool.anchored || quoteUsd === null || spot === null || quoteUsd > TEN(45)) continue;
      const quoteDecimals = this.decimals(quote)!;
      if (!atLeast(reserve, quoteUsd, quoteDecimals, leastUsd(pool, this.reference.rules.minQuoteUsd))) continue;
      options.push({ pool, quote, spot, value: reserve * quoteUsd * TEN(36 - quoteDecimals) });
    }
    options.sort((a, b) =>
      a.value !== b.value ? (a.value > b.value ? -1 : 1) : a.pool.record.pool < b.pool.record.pool ? -1 : 1,
    );
    const best = options[0];
    if (best === undefined) return;
    const fact = { token, pool: best.pool.record.pool, quote: best.quote, spot: best.spot, level };
    (level === 2 ? this.level2 : this.level3).set(token, fact);
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
      usd.set(off.stable, off.price);
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
    const agreeing =
      median < E36 - tolerance
        ? seen.filter((s) => s.price < E36 - tolerance)
        : median > E36 + tolerance
          ? seen.filter((s) => s.price > E36 + tolerance)
          : [];
    return agreeing.length >= 2 ? median : null;
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

/** Prices of the pool's ticks on the way from its price to `end`, with both ends, in the order of the way. */
function stops(pool: NaivePool, end: bigint): bigint[] {
  const at = pool.sqrtPriceX96;
  const inside = [...pool.ticks.keys()].map((tick) => sqrtRatioAtTick(tick)).filter((s) => (s - at) * (s - end) < 0n);
  const way = [at, ...inside, end].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return end < at ? way.reverse() : way;
}

/** The pool's liquidity less, or with, the nets of the ticks between its price and this one. */
function liquidityAt(pool: NaivePool, from: bigint, to: bigint): bigint {
  let liquidity = pool.liquidity;
  for (const [tick, [, net]] of pool.ticks) {
    const s = sqrtRatioAtTick(tick);
    if (to < from && tick <= pool.tick && s >= from) liquidity -= net;
    if (to > from && tick > pool.tick && s <= from) liquidity += net;
  }
  return liquidity > 0n ? liquidity : 0n;
}

function paidDownwards(pool: NaivePool): bigint {
  const way = stops(pool, pool.sqrtPriceX96 / 2n);
  const paid = way.slice(1).map((to, n) => liquidityAt(pool, way[n]!, to) * (way[n]! - to));
  return paid.reduce((sum, part) => sum + part, 0n) / 2n ** 96n;
}

function paidUpwards(pool: NaivePool): bigint {
  if (pool.sqrtPriceX96 === 0n) return 0n;
  const way = stops(pool, pool.sqrtPriceX96 * 2n);
  const paid = way.slice(1).map((to, n) => {
    const from = way[n]!;
    return (liquidityAt(pool, from, to) * (to - from) * 2n ** 160n) / (from * to);
  });
  return paid.reduce((sum, part) => sum + part, 0n) / 2n ** 64n;
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
