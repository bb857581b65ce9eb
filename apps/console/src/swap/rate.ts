import { price, UNKNOWN } from '../format/numbers.js';
import type { Coin } from './coins.js';
import { rateText } from './units.js';

/** What one of the first token gives of the second, for reading alone: amounts are said to the last digit elsewhere. */
export function rateOf(
  quote: { readonly inAmount: string; readonly outAmount: string },
  input: Coin,
  output: Coin,
): string {
  const rate = rateText(
    { units: BigInt(quote.inAmount), decimals: input.decimals },
    { units: BigInt(quote.outAmount), decimals: output.decimals },
  );
  return `${rate === null ? UNKNOWN : price(Number(rate.replaceAll(',', '')))} ${output.symbol}`;
}
