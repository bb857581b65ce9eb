import { price, UNKNOWN, whole } from '../format/numbers.js';
import { Figure } from '../ui/figure.js';
import type { Coin } from './coins.js';
import { impactText } from './quote-warnings.js';
import { rateText, shownAmount, slippageText } from './units.js';

/** What the quotes of all chains promise. */
interface Promised {
  readonly inAmount: string;
  readonly outAmount: string;
  readonly otherAmountThreshold: string;
  readonly slippageBps: number;
  readonly impactBps?: number | null;
}

interface PromiseProps {
  quote: Promised;
  input: Coin;
  output: Coin;
  /** The coin for what wraps it: one for one. */
  wrap?: boolean;
}

/** The rate, the least that arrives, and what the amount itself does to the price. */
export function PromiseFigures({ quote, input, output, wrap = false }: PromiseProps) {
  const impact = wrap ? null : impactText(quote);
  const below = `${slippageText(quote.slippageBps)}% below ${shownAmount(BigInt(quote.outAmount), output.decimals)}`;
  return (
    <>
      <Figure name="Rate" value={rateOf(quote, input, output)} note={`for one ${input.symbol}`} />
      <Figure
        name="At least"
        value={
          <span data-floor={quote.otherAmountThreshold}>
            {shownAmount(BigInt(quote.otherAmountThreshold), output.decimals)} {output.symbol}
          </span>
        }
        note={wrap ? 'one for one' : below}
      />
      {impact !== null && <Figure name="Price impact" value={impact} note="beyond the pools’ fees" />}
    </>
  );
}

/** How many routes were compared, and how long that took. */
export function ComparedFigure({ quote }: { quote: { readonly candidates: number; readonly timeTaken: number } }) {
  return (
    <Figure
      name="Routes compared"
      value={whole(quote.candidates)}
      note={`in ${(quote.timeTaken * 1_000).toFixed(2)} ms`}
    />
  );
}

/** For reading alone: amounts are said to the last digit elsewhere. */
function rateOf({ inAmount, outAmount }: Promised, input: Coin, output: Coin): string {
  const rate = rateText(
    { units: BigInt(inAmount), decimals: input.decimals },
    { units: BigInt(outAmount), decimals: output.decimals },
  );
  return `${rate === null ? UNKNOWN : price(Number(rate.replaceAll(',', '')))} ${output.symbol}`;
}
