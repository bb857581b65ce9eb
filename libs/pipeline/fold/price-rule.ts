import type { Hex } from '#libs/core/ids.js';
import { type E18, type E36, ONE_E18, ONE_E36, pow10 } from '#libs/core/money.js';

/**
 * The one place where an amount or a spot becomes USD (decision 2). Fold, tables and answers all call these
 * functions, so that a price rule changes here and nowhere else.
 * Invariant: every result rounds towards zero once; what no market can have is null, never a number.
 */

/** No token is worth more than 1e9 USD. */
export const MAX_PRICE_USD: E36 = pow10(9) * ONE_E36;
/** No market cap, pool side or single trade is worth more than 1e13 USD. */
const MAX_VALUE_USD: E18 = pow10(13) * ONE_E18;
/** What a Decimal(38, 18) column holds. */
const MAX_E18: E18 = pow10(38) - 1n;

/** Chain of quotes that a price may be walked over: token → level 2 → coin or stable. */
const MAX_STEPS = 3;

/** A spot as PriceFact carries it; a PriceFact is one. */
export interface SpotPrice {
  quote: Hex | null;
  spot: E36 | null;
}

/** Where prices are read from: the latest visible PriceFact of a token and the latest reference prices. */
export interface PriceLookup {
  /** USD of the coin's wrapped token or of a stable; null when it has none now; undefined when the token is neither. */
  reference(token: Hex): E36 | null | undefined;
  /** The token's spot, or nothing when it has none. */
  spot(token: Hex): SpotPrice | null | undefined;
}

export function plausiblePrice(usd: E36): E36 | null {
  return usd >= 0n && usd <= MAX_PRICE_USD ? usd : null;
}

/** USD price of a token from its spot and the USD price of its quote token, without bounds. */
export function usdPrice(spot: E36, quoteUsd: E36): E36 {
  // A stable at its peg is the common case, and a wide multiplication and division cost.
  return quoteUsd === ONE_E36 ? spot : (spot * quoteUsd) / ONE_E36;
}

/** USD price of any token, over at most three spots; null when unknown or above what a market can have. */
export function tokenUsd(lookup: PriceLookup, token: Hex): E36 | null {
  return walk(lookup, token, MAX_STEPS);
}

function walk(lookup: PriceLookup, token: Hex, steps: number): E36 | null {
  const reference = lookup.reference(token);
  if (reference !== undefined) return reference;
  if (steps === 0) return null;
  const price = lookup.spot(token);
  if (!price || price.spot === null || price.quote === null) return null;
  const quoteUsd = walk(lookup, price.quote, steps - 1);
  return quoteUsd === null ? null : plausiblePrice(usdPrice(price.spot, quoteUsd));
}

/** USD value of a raw amount; null above what a market can have. */
export function amountUsd(amount: bigint, decimals: number, usd: E36): E18 | null {
  const value = (amount * usd) / pow10(decimals + 18);
  return value <= MAX_VALUE_USD ? value : null;
}

export interface TradeAmounts {
  baseAmount: bigint;
  quoteAmount: bigint;
  baseDecimals: number;
  quoteDecimals: number;
}

export interface TradeValue {
  /** USD for one whole base token. */
  priceUsd: E36 | null;
  volumeUsd: E18 | null;
  volumeCoin: E18 | null;
}

const UNVALUED: TradeValue = { priceUsd: null, volumeUsd: null, volumeCoin: null };

/** A trade is worth what its quote side is worth at the reference prices given. */
export function valueTrade(trade: TradeAmounts, quoteUsd: E36 | null, coinUsd: E36 | null): TradeValue {
  if (quoteUsd === null || trade.baseAmount <= 0n) return UNVALUED;
  const quoteValue = trade.quoteAmount * quoteUsd;
  const volumeUsd = quoteValue / pow10(trade.quoteDecimals + 18);
  if (volumeUsd > MAX_VALUE_USD) return UNVALUED;
  // Powers of ten that are on both sides of the division are left out: the quotient is the same, the numbers shorter.
  const shift = trade.baseDecimals - trade.quoteDecimals;
  const priceUsd = plausiblePrice(
    shift >= 0 ? (quoteValue * pow10(shift)) / trade.baseAmount : quoteValue / (trade.baseAmount * pow10(-shift)),
  );
  let volumeCoin: E18 | null = null;
  if (coinUsd !== null && coinUsd > 0n) {
    volumeCoin =
      trade.quoteDecimals <= 18
        ? (quoteValue * pow10(18 - trade.quoteDecimals)) / coinUsd
        : quoteValue / (pow10(trade.quoteDecimals - 18) * coinUsd);
    if (volumeCoin > MAX_E18) volumeCoin = null;
  }
  return { priceUsd, volumeUsd, volumeCoin };
}

/** Price times circulating supply (raw units), in USD. */
export function marketCap(price: E36 | null, supply: bigint | null, decimals: number | null): E18 | null {
  if (price === null || supply === null || decimals === null || plausiblePrice(price) === null) return null;
  return amountUsd(supply, decimals, price);
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

/** Both sides valued. */
export function poolLiquidityUsd(lookup: PriceLookup, pool: PoolSides): E18 | null {
  const { token0, token1, reserve0, reserve1, decimals0, decimals1 } = pool;
  return liquidityUsd(
    sideUsd(reserve0, decimals0, tokenUsd(lookup, token0)),
    sideUsd(reserve1, decimals1, tokenUsd(lookup, token1)),
  );
}

/** What a pool holds of one token; null when its decimals or its price are unknown, or it is more than a market can have. */
export const sideUsd = (reserve: bigint, decimals: number | null, usd: E36 | null): E18 | null =>
  decimals === null || usd === null ? null : amountUsd(reserve, decimals, usd);

/** Of both sides: one without a value counts nothing. Null when neither has one. */
export const liquidityUsd = (side0: E18 | null, side1: E18 | null): E18 | null =>
  side0 === null ? side1 : side0 + (side1 ?? 0n);

/** A USD price or volume in units of the chain's coin, same scale as the input; null without a coin price. */
export function inCoin(usd: bigint | null, coinUsd: E36 | null): bigint | null {
  if (usd === null || coinUsd === null || coinUsd <= 0n) return null;
  return (usd * ONE_E36) / coinUsd;
}
