import { Fragment } from 'preact';
import type { SolQuote, SolRouteStep } from '#libs/protocol/rest/solana/quote-body.js';
import { shortId, whole } from '../../format/numbers.js';
import { Figure } from '../../ui/figure.js';
import { TokenMark } from '../../ui/token-mark.js';
import { type Coin, type CoinBook, plainAddress } from '../coins.js';
import { impactText } from '../quote-warnings.js';
import { rateOf } from '../rate.js';
import { exactAmount, shownAmount, slippageText } from '../units.js';
import { feeInHundredths, legsOf } from './legs.js';

interface FiguresProps {
  quote: SolQuote;
  book: CoinBook;
  chain: string;
  /** What the form names: the coin is quoted as what wraps it. */
  input: Coin;
  output: Coin;
}

/** A Solana quote: its legs, and what it promises. */
export function SolanaFigures({ quote, book, chain, input, output }: FiguresProps) {
  const out = BigInt(quote.outAmount);
  const impact = impactText(quote);
  return (
    <>
      {legsOf(quote.routePlan).map((leg) => (
        <Leg key={leg.map(({ swapInfo }) => swapInfo.ammKey).join(' ')} {...{ leg, book, chain, input, output }} />
      ))}
      <dl class="figures">
        <Figure name="Rate" value={rateOf(quote, input, output)} note={`for one ${input.symbol}`} />
        <Figure
          name="At least"
          value={
            <span data-floor={quote.otherAmountThreshold}>
              {shownAmount(BigInt(quote.otherAmountThreshold), output.decimals)} {output.symbol}
            </span>
          }
          note={`${slippageText(quote.slippageBps)}% below ${shownAmount(out, output.decimals)}`}
        />
        {impact !== null && <Figure name="Price impact" value={impact} note="beyond the pools’ fees" />}
        <Figure
          name="Routes compared"
          value={whole(quote.candidates)}
          note={`in ${(quote.timeTaken * 1_000).toFixed(2)} ms`}
        />
        <Figure name="Priced at slot" value={whole(quote.contextSlot)} />
      </dl>
    </>
  );
}

interface LegProps extends Omit<FiguresProps, 'quote'> {
  leg: readonly SolRouteStep[];
}

/** A node for each token, and between two of them the pool that changes one into the other. */
function Leg({ leg, book, chain, input, output }: LegProps) {
  const nodes = leg.map(({ swapInfo }, at) => ({
    coin: at === 0 ? input : book.get(plainAddress(swapInfo.inputMint)),
    mint: swapInfo.inputMint,
    amount: BigInt(swapInfo.inAmount),
  }));
  const last = leg.at(-1)!.swapInfo;
  nodes.push({ coin: output, mint: last.outputMint, amount: BigInt(last.outAmount) });
  return (
    <ol class="route" aria-label="Route" data-leg={leg[0]!.bps}>
      {nodes.map(({ coin, mint, amount }, at) => (
        <Fragment key={`${at} ${mint}`}>
          <li class="route-node">
            <TokenMark chain={chain} symbol={coin?.symbol ?? null} address={coin?.address ?? mint} />
            <span class="route-amount">
              {coin === null ? '…' : shownAmount(amount, coin.decimals)}
              <small>{coin?.symbol ?? shortId(mint)}</small>
            </span>
          </li>
          {leg[at] !== undefined && (
            <li class="route-hop">
              <span class="route-pool" title={`Pool ${leg[at].swapInfo.ammKey}`} data-pool={leg[at].swapInfo.ammKey}>
                {leg[at].swapInfo.label}
                <small>{poolWords(leg[at], at === 0)}</small>
              </span>
              <span class="route-wire" aria-hidden="true" />
            </li>
          )}
        </Fragment>
      ))}
    </ol>
  );
}

const WHOLE = 10_000;

/** The fee of a pool, and where a leg begins the part of the input that it takes. */
function poolWords(step: SolRouteStep, begins: boolean): string {
  const fee = `${exactAmount(feeInHundredths(step), 4)}% fee`;
  return begins && step.bps < WHOLE ? `${exactAmount(BigInt(step.bps), 2)}% of it, ${fee}` : fee;
}
