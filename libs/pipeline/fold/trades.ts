import type { Hex } from '#libs/core/ids.js';
import { type E36, pow10 } from '#libs/core/money.js';
import { type BlockGroup, type PriceRules, poolKinds, type SwapEvent } from '#libs/protocol/blocks.js';
import type { TradeFact, Uncounted } from '#libs/protocol/facts.js';
import type { PriceBook } from './price-book.js';
import { type TradeAmounts, type TradeValue, valueTrade } from './price-rule.js';
import { minQuoteValue, quoteValue } from './references.js';
import { LEVEL_DIRECT, type TablePool, type TokenEntry, type TokenTable } from './token-table.js';
import { TradeOwners } from './trade-owners.js';

/**
 * Turns the swaps of one block into trades.
 * Invariant: prices and levels are those at the end of the previous block (the price book is evaluated only after the
 * block's events), while the pool is in its state right after the swap. A swap that does not give one token for the
 * other, or whose tokens have no known decimals, is no trade. What the block undid is known at its end (reverted.ts).
 */
export class TradeBuilder {
  private readonly coinUsd: E36 | null;
  private readonly ordinals = new Map<number, number>();
  /** Null on Solana, where a swap names its own. */
  private readonly owners: TradeOwners | null;

  constructor(
    private readonly group: BlockGroup,
    table: TokenTable,
    private readonly prices: PriceBook,
    private readonly thresholds: TradeThresholds,
  ) {
    this.coinUsd = table.coin.referenceUsd;
    this.owners = table.reference.family === 'solana' ? null : new TradeOwners(group, table);
  }

  trade(event: SwapEvent, pool: TablePool): TradeFact | null {
    const { amount0, amount1 } = event;
    if (!(amount0 > 0n && amount1 < 0n) && !(amount0 < 0n && amount1 > 0n)) return null;
    const baseIs0 = isBase(pool.token0, pool.token1);
    const base = baseIs0 ? pool.token0 : pool.token1;
    const quote = baseIs0 ? pool.token1 : pool.token0;
    const baseDecimals = base.decimals;
    const quoteDecimals = quote.decimals;
    if (baseDecimals === null || quoteDecimals === null) return null;

    const baseDelta = baseIs0 ? amount0 : amount1;
    const quoteDelta = baseIs0 ? amount1 : amount0;
    const sold = baseDelta > 0n;
    const amounts = {
      baseAmount: sold ? baseDelta : -baseDelta,
      quoteAmount: sold ? -quoteDelta : quoteDelta,
      baseDecimals,
      quoteDecimals,
    };
    const quoteUsd = this.prices.usd(quote);
    const worth = quote.isReference
      ? undefined
      : this.prices.values.worth(quote.id, amounts.quoteAmount, quoteDecimals);
    const value = valueTrade(amounts, quoteUsd, this.coinUsd, worth);
    const unset = value.priceUsd === null ? 'no_price' : this.whyUnset(pool, base, quote, quoteDecimals);
    // A token that no pool prices has no price in its trades either.
    const priceUsd = unset === null || this.prices.usd(base) !== null ? value.priceUsd : null;
    const tx = this.group.txs[event.tx]!;
    return {
      ordinal: event.ordinal,
      txOrdinal: this.nextOrdinal(event.tx),
      tx: tx.id,
      wallet: this.owners === null ? event.sender : this.owners.ownerOf(event),
      sender: tx.sender,
      pool: pool.id,
      venue: pool.record.venue,
      base: base.id,
      quote: quote.id,
      baseDecimals,
      quoteDecimals,
      side: sold ? 'sell' : 'buy',
      baseAmount: amounts.baseAmount,
      quoteAmount: amounts.quoteAmount,
      priceUsd,
      coinUsd: this.coinUsd,
      volumeUsd: value.volumeUsd,
      volumeCoin: value.volumeCoin,
      uncounted: this.whyUncounted(pool, base, amounts, value, unset),
    };
  }

  private whyUncounted(
    pool: TablePool,
    base: TokenEntry,
    amounts: TradeAmounts,
    { priceUsd, volumeUsd }: TradeValue,
    unset: Uncounted | null,
  ): Uncounted | null {
    if (priceUsd === null || volumeUsd === null) return 'no_price';
    if (volumeUsd < this.thresholds.dustUsd) return 'dust';
    return unset ?? (this.nearSpot(pool, base, amounts) ? null : 'far_from_spot');
  }

  /** Why the pool, in its state after the trade, may not set the base token's price; null where it may. */
  private whyUnset(pool: TablePool, base: TokenEntry, quote: TokenEntry, quoteDecimals: number): Uncounted | null {
    if (poolKinds[pool.record.kind].setsPrice === 'never') return 'hooked';
    if (!pool.anchored) return 'unanchored';
    if (quote.level >= base.level || quote.level > LEVEL_DIRECT) return 'quote_level';
    return this.isDeep(pool, quote, quoteDecimals) ? null : 'shallow';
  }

  private isDeep(pool: TablePool, quote: TokenEntry, quoteDecimals: number): boolean {
    const quoteUsd = quote.isReference ? quote.referenceUsd : this.prices.values.rate(quote.id);
    if (quoteUsd === null) return false;
    const value = quoteValue(pool.reserveOf(quote), quoteDecimals, quoteUsd);
    if (value <= 0n || poolKinds[pool.record.kind].setsPrice === 'always') return value > 0n;
    const { minQuote } = this.thresholds;
    if (value < minQuote) return false;
    const unit = quoteValue(1n, quoteDecimals, quoteUsd);
    const least = (minQuote + unit - 1n) / unit || 1n;
    return pool.depthOf(quote, least) >= least;
  }

  /** Less than `spotFactor` times away from the pool's own spot after it. */
  private nearSpot(pool: TablePool, base: TokenEntry, trade: TradeAmounts): boolean {
    // Far from both limits a rough ratio decides as the exact one would, and the exact spot need not be computed.
    const rough = pool.roughSpotOf(base);
    const ratio =
      ((Number(trade.quoteAmount) / Number(trade.baseAmount)) * 10 ** (trade.baseDecimals - trade.quoteDecimals)) /
      rough;
    const limit = Number(this.thresholds.spotFactor) / Number(SPOT_FACTOR_SCALE);
    if (ratio > (1 / limit) * 1.000_001 && ratio < limit * 0.999_999 && rough > 1e-24 && rough < 1e30) return true;
    const spot = pool.spotOf(base);
    if (spot === null) return false;
    // trade price / spot = paid / fair, both multiplied out
    const paid = trade.quoteAmount * pow10(trade.baseDecimals + 36) * SPOT_FACTOR_SCALE;
    const fair = spot * trade.baseAmount * pow10(trade.quoteDecimals);
    const { spotFactor } = this.thresholds;
    return paid < fair * spotFactor && fair * SPOT_FACTOR_SCALE * SPOT_FACTOR_SCALE < paid * spotFactor;
  }

  private nextOrdinal(tx: number): number {
    const ordinal = this.ordinals.get(tx) ?? 0;
    this.ordinals.set(tx, ordinal + 1);
    return ordinal;
  }
}

/** spotFactor is kept in thousandths. */
const SPOT_FACTOR_SCALE = 1_000n;

/** The rules' thresholds in exact units. */
export interface TradeThresholds {
  /** USD · 1e18. */
  dustUsd: bigint;
  /** Unit of quoteValue. */
  minQuote: bigint;
  /** In thousandths. */
  spotFactor: bigint;
}

export function tradeThresholds(rules: PriceRules): TradeThresholds {
  return {
    dustUsd: BigInt(Math.round(rules.dustCents * 1_000_000)) * pow10(10),
    minQuote: minQuoteValue(rules),
    spotFactor: BigInt(Math.round(rules.spotFactor * 1_000)),
  };
}

/** The base is the token of the higher price level, the lower address on a tie. */
function isBase(token: TokenEntry, other: TokenEntry): boolean {
  return token.level === other.level ? lower(token.id, other.id) : token.level > other.level;
}

const lower = (a: Hex, b: Hex): boolean => a < b;
