import { type E18, type E36, ONE_E18, ONE_E36, pow10 } from '#libs/core/money.js';

/**
 * The one place where an amount or a spot becomes USD (decision 2). Fold, tables and answers all call these
 * functions, so that a price rule changes here and nowhere else.
 * Invariant: every result rounds towards zero once; what no market can have is null, never a number.
 */

/** No token is worth more than 1e9 USD. */
const MAX_PRICE_USD: E36 = pow10(9) * ONE_E36;
/** No market cap, pool side or single trade is worth more than 1e13 USD. */
const MAX_VALUE_USD: E18 = pow10(13) * ONE_E18;
/** What a Decimal(38, 18) column holds. */
const MAX_E18: E18 = pow10(38) - 1n;

export function plausiblePrice(usd: E36): E36 | null {
  return usd >= 0n && usd <= MAX_PRICE_USD ? usd : null;
}

/** USD price of a token from its spot and the USD price of its quote token, without bounds. */
export function usdPrice(spot: E36, quoteUsd: E36): E36 {
  // A stable at its peg is the common case, and a wide multiplication and division cost.
  return quoteUsd === ONE_E36 ? spot : (spot * quoteUsd) / ONE_E36;
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

/** A trade is worth what its quote side is worth: `worth` where that is not its amount times its price. */
export function valueTrade(
  trade: TradeAmounts,
  quoteUsd: E36 | null,
  coinUsd: E36 | null,
  worth?: E18 | null,
): TradeValue {
  if (quoteUsd === null || trade.baseAmount <= 0n) return UNVALUED;
  const quoteValue = trade.quoteAmount * quoteUsd;
  const atPrice = quoteValue / pow10(trade.quoteDecimals + 18);
  const volumeUsd = worth === undefined ? atPrice : worth;
  if (volumeUsd === null || atPrice > MAX_VALUE_USD) return UNVALUED;
  // Powers of ten that are on both sides of the division are left out: the quotient is the same, the numbers shorter.
  const shift = trade.baseDecimals - trade.quoteDecimals;
  const priceUsd = plausiblePrice(
    shift >= 0 ? (quoteValue * pow10(shift)) / trade.baseAmount : quoteValue / (trade.baseAmount * pow10(-shift)),
  );
  if (coinUsd === null || coinUsd <= 0n) return { priceUsd, volumeUsd, volumeCoin: null };
  const volumeCoin =
    worth !== undefined
      ? (volumeUsd * ONE_E36) / coinUsd
      : trade.quoteDecimals <= 18
        ? (quoteValue * pow10(18 - trade.quoteDecimals)) / coinUsd
        : quoteValue / (pow10(trade.quoteDecimals - 18) * coinUsd);
  return { priceUsd, volumeUsd, volumeCoin: volumeCoin > MAX_E18 ? null : volumeCoin };
}

/** Price times circulating supply (raw units), in USD. */
export function marketCap(price: E36 | null, supply: bigint | null, decimals: number | null): E18 | null {
  if (price === null || supply === null || decimals === null || plausiblePrice(price) === null) return null;
  return amountUsd(supply, decimals, price);
}

/** A USD price or volume in units of the chain's coin, same scale as the input; null without a coin price. */
export function inCoin(usd: bigint | null, coinUsd: E36 | null): bigint | null {
  if (usd === null || coinUsd === null || coinUsd <= 0n) return null;
  return (usd * ONE_E36) / coinUsd;
}
