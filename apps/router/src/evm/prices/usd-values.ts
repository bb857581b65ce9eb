import { poolSpot } from '#libs/chain/amm/pool-spot.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import type { Backing, PricePart } from '#libs/pipeline/fold/backing.js';
import { curveOf } from '#libs/pipeline/fold/part-curve.js';
import { inOrder, MOST_PARTS } from '#libs/pipeline/fold/price-candidates.js';
import { computeReferences, minQuoteValue, quoteValue } from '#libs/pipeline/fold/references.js';
import { TokenTable } from '#libs/pipeline/fold/token-table.js';
import { TokenValues } from '#libs/pipeline/fold/token-values.js';
import { poolKinds } from '#libs/protocol/blocks.js';
import type { LivePool } from '#libs/routing/pools/live-pool.js';
import type { PoolBook } from '#libs/routing/pools/pool-book.js';
import type { UsdValuation } from '../../model/usd-valuation.js';

/**
 * Values amounts in USD at the block of the pool book, by the price rules of the market data and with their own functions
 * (docs/prices.md). The decimals of tokens are not known here: but for the coin and the stables a whole token is its base unit. Nor is how much of a token is
 * in pools that are quoted in it, most of which are out of memory: it counts as money at its price.
 * Values are floats for people, with about twelve digits; no amount depends on them.
 */
export class UsdValues implements UsdValuation {
  private version = -1;
  private of: PoolBook | null = null;
  /** USD of a whole coin and of the stables. */
  private references = new Map<Hex, E36>();
  /** By token, of those that were asked for. */
  private readonly direct = new Map<Hex, readonly PricePart[]>();
  private readonly backings = new Map<Hex, Backing>();
  private readonly minValue: bigint;
  private values: TokenValues;

  /** Of the coin and the stables. */
  private readonly decimals: ReadonlyMap<Hex, number>;

  constructor(
    private readonly chain: ChainSpec,
    private readonly book: () => PoolBook,
  ) {
    this.decimals = new Map([chain.wrappedNative, ...chain.stables].map((ref) => [ref.token, ref.decimals]));
    this.minValue = minQuoteValue(chain.priceRules);
    this.values = this.newValues();
  }

  /** null where no pool sets a price, or none that a market can have. */
  value(token: Hex, amount: bigint): number | null {
    this.follow();
    const usd = this.values.usd(token);
    if (usd === null) return null;
    const value = (Number(usd) / 10 ** (36 + this.decimalsOf(token))) * Number(amount);
    return value <= MAX_VALUE_USD ? rounded(value) : null;
  }

  private newValues(): TokenValues {
    const lookup = {
      reference: (token: Hex) => (this.decimals.has(token) ? (this.references.get(token) ?? null) : undefined),
      backing: (token: Hex) => this.backingOf(token),
    };
    return new TokenValues(lookup, 1n);
  }

  private decimalsOf(token: Hex): number {
    return this.decimals.get(token) ?? 0;
  }

  private backingOf(token: Hex): Backing {
    let backing = this.backings.get(token);
    if (backing === undefined) {
      const direct = this.directParts(token);
      // What the token is as money needs no other token.
      backing = { decimals: 0, pooled: 0n, parts: direct };
      this.backings.set(token, backing);
      const parts = [...direct, ...this.parts(token, (quote) => this.rateOf(quote))];
      backing = { ...backing, parts };
      this.backings.set(token, backing);
    }
    return backing;
  }

  /** Of tokens that have pools against the coin or a stable. */
  private rateOf(quote: Hex): E36 | null {
    return this.decimals.has(quote) || this.directParts(quote).length === 0 ? null : this.values.rate(quote);
  }

  private directParts(token: Hex): readonly PricePart[] {
    let parts = this.direct.get(token);
    if (parts === undefined) {
      parts = this.parts(token, (quote) => this.references.get(quote) ?? null);
      this.direct.set(token, parts);
    }
    return parts;
  }

  /** The deepest pools against quotes that are worth something. */
  private parts(token: Hex, usdOf: (quote: Hex) => E36 | null): PricePart[] {
    const found: { pool: LivePool; value: bigint; part: PricePart }[] = [];
    // A copy: what is asked meanwhile brings pools to memory, and takes others away.
    for (const pool of [...this.book().poolsOf(token)]) {
      const { setsPrice } = poolKinds[pool.kind];
      const isToken0 = pool.token0 === token;
      const quote = isToken0 ? pool.token1 : pool.token0;
      if (!pool.anchored || setsPrice === 'never') continue;
      const usd = usdOf(quote);
      const spot = usd === null ? null : this.spotOf(pool, isToken0);
      if (usd === null || spot === null) continue;
      const quoteDecimals = this.decimalsOf(quote);
      const value = quoteValue(pool.depthOf(!isToken0), quoteDecimals, usd);
      if (value <= 0n || (setsPrice !== 'always' && value < this.minValue)) continue;
      const curve = curveOf({
        ...{ kind: pool.kind, isToken0, spot, baseDecimals: this.decimalsOf(token), quoteDecimals },
        base: isToken0 ? pool.reserve0 : pool.reserve1,
        quote: isToken0 ? pool.reserve1 : pool.reserve0,
        ranged: poolKinds[pool.kind].inRanges ? pool : null,
        depth: (ofBase) => pool.depthOf(ofBase === isToken0),
      });
      found.push({ pool, value, part: { pool: pool.id, quote, quoteDecimals, spot, curve } });
    }
    return inOrder(found)
      .slice(0, MOST_PARTS)
      .map(({ part }) => part);
  }

  /** Null where the state, or decimals that it needs, are unknown. */
  private spotOf(pool: LivePool, baseIsToken0: boolean): E36 | null {
    const { kind, sqrtPriceX96, token0, token1, reserve0, reserve1 } = pool;
    // Solidly's stable curve depends on the decimals.
    if (kind === 'stable' && !(this.decimals.has(token0) && this.decimals.has(token1))) return null;
    const [base, quote] = baseIsToken0 ? [token0, token1] : [token1, token0];
    const [baseReserve, quoteReserve] = baseIsToken0 ? [reserve0, reserve1] : [reserve1, reserve0];
    const decimals = { baseDecimals: this.decimalsOf(base), quoteDecimals: this.decimalsOf(quote) };
    return poolSpot(kind).exact({ sqrtPriceX96, baseReserve, quoteReserve, baseIsToken0, ...decimals });
  }

  /** Reference prices are computed once for each version of the book. */
  private follow(): void {
    const book = this.book();
    if (book === this.of && book.version === this.version) return;
    this.of = book;
    this.version = book.version;
    this.direct.clear();
    this.backings.clear();
    this.values = this.newValues();
    this.references = new Map();
    for (const [{ id }, usd] of computeReferences(referenceTable(this.chain, book), this.chain.priceRules)) {
      if (usd !== null) this.references.set(id, usd);
    }
  }
}

/** Digits that people read: to a ten-thousandth from one dollar on, below it as they are. */
const rounded = (usd: number): number => (usd >= 1 ? Math.round(usd * 1e4) / 1e4 : usd);

/** No single amount is worth more. */
const MAX_VALUE_USD = 1e13;

/** The coin, the stables and the pools among them, as the fold keeps them. */
function referenceTable(chain: ChainSpec, book: PoolBook): TokenTable {
  const { wrappedNative, stables, priceRules } = chain;
  const table = new TokenTable({
    ...{ family: chain.family, genesisHash: '', startHeight: 0, decoderVersion: 0, rules: priceRules },
    ...{ coin: wrappedNative, stables: stables.map(({ token }) => token) },
  });
  for (const { token, symbol, decimals } of stables) {
    table.token(token).record ??= { token, symbol, decimals, name: null, totalSupply: null };
  }
  const ids = new Set([wrappedNative, ...stables].map(({ token }) => token));
  for (const token of ids) {
    for (const pool of book.poolsOf(token)) {
      if (!ids.has(pool.token0) || !ids.has(pool.token1)) continue;
      const state = table.addPool(pool.record);
      state?.setScalars(pool);
      for (const tick of state === null ? [] : pool.ticks) state?.restoreTick(tick.tick, tick);
    }
  }
  return table;
}
