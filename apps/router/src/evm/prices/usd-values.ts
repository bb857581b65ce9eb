import { poolSpot } from '#libs/chain/amm/pool-spot.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { computeReferences } from '#libs/pipeline/fold/references.js';
import { TokenTable } from '#libs/pipeline/fold/token-table.js';
import { poolKinds } from '#libs/protocol/blocks.js';
import type { LivePool } from '#libs/routing/pools/live-pool.js';
import type { PoolBook } from '#libs/routing/pools/pool-book.js';
import type { UsdValuation } from '../../model/usd-valuation.js';

/**
 * Values amounts in USD at the block of the pool book, by the price rules of the market data. The coin and the stables
 * are priced by the fold's own function; a token is priced by its deepest pool against one of them, or else by its
 * deepest pool against a token that is priced this way. Values are floats for people, with about twelve digits; no amount
 * depends on them.
 */
export class UsdValues implements UsdValuation {
  private version = -1;
  private of: PoolBook | null = null;
  /** USD of one base unit of the coin and the stables. */
  private references = new Map<Hex, number>();
  /** USD of one base unit of tokens that were asked for; NaN: no price. */
  private readonly direct = new Map<Hex, number>();
  private readonly indirect = new Map<Hex, number>();

  /** Of the coin and the stables. */
  private readonly decimals: ReadonlyMap<Hex, number>;

  constructor(
    private readonly chain: ChainSpec,
    private readonly book: () => PoolBook,
  ) {
    this.decimals = new Map([chain.wrappedNative, ...chain.stables].map((ref) => [ref.token, ref.decimals]));
  }

  /** null where no pool sets a price, or none that a market can have. */
  value(token: Hex, amount: bigint): number | null {
    this.follow();
    const value = this.unitUsd(token) * Number(amount);
    // A comparison with NaN is false.
    return value <= MAX_VALUE_USD ? rounded(value) : null;
  }

  private unitUsd(token: Hex): number {
    // The coin and the stables have the price that the stable pools give them, or none.
    if (this.decimals.has(token)) return this.references.get(token) ?? Number.NaN;
    const direct = this.directUsd(token);
    if (!Number.isNaN(direct)) return direct;
    let usd = this.indirect.get(token);
    if (usd === undefined) {
      usd = this.deepest(token, (quote) => (this.decimals.has(quote) ? Number.NaN : this.directUsd(quote)));
      this.indirect.set(token, usd);
    }
    return usd;
  }

  private directUsd(token: Hex): number {
    let usd = this.direct.get(token);
    if (usd === undefined) {
      usd = this.deepest(token, (quote) => this.references.get(quote) ?? Number.NaN);
      this.direct.set(token, usd);
    }
    return usd;
  }

  /** The price that the deepest pool sets against a token of known price; the lower pool id on a tie. */
  private deepest(token: Hex, usdOf: (quote: Hex) => number): number {
    let best: LivePool | null = null;
    let most = 0;
    let price = Number.NaN;
    for (const pool of this.book().poolsOf(token)) {
      const { setsPrice } = poolKinds[pool.kind];
      if (!pool.anchored || setsPrice === 'never') continue;
      const first = pool.token0 === token;
      const quoteUsd = usdOf(first ? pool.token1 : pool.token0);
      const depth = Number(pool.depthOf(!first)) * quoteUsd;
      const least = setsPrice === 'always' ? 0 : this.chain.priceRules.minQuoteUsd;
      if (!(depth > 0 && depth >= least && depth >= most)) continue;
      if (depth === most && best !== null && best.id < pool.id) continue;
      const usd = this.spotOf(pool, first) * quoteUsd;
      if (!(usd >= 0)) continue;
      best = pool;
      most = depth;
      price = usd;
    }
    return price;
  }

  /** Base units of the other token for one of this token; NaN where the state, or decimals that it needs, are unknown. */
  private spotOf(pool: LivePool, first: boolean): number {
    const { kind, sqrtPriceX96, token0, token1, reserve0, reserve1 } = pool;
    // Only Solidly's stable curve depends on the decimals.
    const inWholeTokens = kind === 'stable';
    const decimals = (token: Hex): number => (inWholeTokens ? (this.decimals.get(token) ?? Number.NaN) : 0);
    const [baseDecimals, quoteDecimals] = first
      ? [decimals(token0), decimals(token1)]
      : [decimals(token1), decimals(token0)];
    const [baseReserve, quoteReserve] = first ? [reserve0, reserve1] : [reserve1, reserve0];
    const state = { sqrtPriceX96, baseReserve, quoteReserve, baseIsToken0: first, baseDecimals, quoteDecimals };
    return poolSpot(kind).rough(state) * 10 ** (quoteDecimals - baseDecimals);
  }

  /** Reference prices are computed once for each version of the book. */
  private follow(): void {
    const book = this.book();
    if (book === this.of && book.version === this.version) return;
    this.of = book;
    this.version = book.version;
    this.direct.clear();
    this.indirect.clear();
    this.references = new Map();
    for (const [{ id, decimals }, usd] of computeReferences(referenceTable(this.chain, book), this.chain.priceRules)) {
      if (usd !== null && decimals !== null) this.references.set(id, Number(usd) / 10 ** (36 + decimals));
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
