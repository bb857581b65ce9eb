import type { Hex } from '#libs/core/ids.js';
import { type E36, ONE_E18, pow10 } from '#libs/core/money.js';
import { type CandleTrade, volumesOf } from '#libs/pipeline/fold/candles.js';
import type { TradeFact, Uncounted } from '#libs/protocol/facts.js';

/** A swap seen from one of its two tokens. It is stored once; the other side is this turned around. */
export interface TradeSide {
  token: Hex;
  tokenAmount: bigint;
  tokenDecimals: number;
  other: Hex;
  otherAmount: bigint;
  otherDecimals: number;
  side: 'buy' | 'sell';
  /** USD for one whole token; on the quote token's side, the price that gives the trade the same value. */
  priceUsd: E36 | null;
  /** Why it moved no prices of the token's merged candles, those of the base token only; null where it did. */
  uncounted: Uncounted | 'quote_side' | null;
}

export function sideOf({ base, side }: TradeFact, token: Hex): 'buy' | 'sell' {
  if (token === base) return side;
  return side === 'buy' ? 'sell' : 'buy';
}

export function tradeSide(trade: TradeFact, token: Hex): TradeSide {
  if (token === trade.base) {
    return {
      token,
      tokenAmount: trade.baseAmount,
      tokenDecimals: trade.baseDecimals,
      other: trade.quote,
      otherAmount: trade.quoteAmount,
      otherDecimals: trade.quoteDecimals,
      side: sideOf(trade, token),
      priceUsd: trade.priceUsd,
      uncounted: trade.uncounted,
    };
  }
  return {
    token,
    tokenAmount: trade.quoteAmount,
    tokenDecimals: trade.quoteDecimals,
    other: trade.base,
    otherAmount: trade.baseAmount,
    otherDecimals: trade.baseDecimals,
    side: sideOf(trade, token),
    priceUsd: quotePrice(trade),
    uncounted: trade.uncounted === 'reverted' ? 'reverted' : 'quote_side',
  };
}

/**
 * The trade's value over its amount. From the base token's price, or from the volume where that has more digits: the price of
 * a token of which a trade moved an enormous amount may be 0 at 36 decimals.
 */
function quotePrice(trade: TradeFact): E36 | null {
  const { priceUsd, volumeUsd, quoteAmount } = trade;
  if (priceUsd === null || quoteAmount <= 0n) return null;
  const whole = pow10(trade.quoteDecimals);
  if (volumeUsd !== null && volumeUsd > priceUsd) return (volumeUsd * ONE_E18 * whole) / quoteAmount;
  return (priceUsd * trade.baseAmount * whole) / (quoteAmount * pow10(trade.baseDecimals));
}

/** What a swap adds to the candles of a token: only its base token's prices move, and those of a stable to what it is worth. */
export function candleTrade(trade: TradeFact, token: Hex, stableUsd?: E36 | null): CandleTrade {
  const added = { ...volumesOf(trade), side: sideOf(trade, token) };
  if (stableUsd !== undefined) return { priceUsd: stableUsd, counted: true, ...added };
  if (token !== trade.base) return { priceUsd: null, counted: false, ...added };
  return { priceUsd: trade.priceUsd, counted: trade.uncounted === null, ...added };
}
