import { Fragment } from 'preact';
import type { SolQuote, SolRouteStep } from '#libs/serve/contract/rest/solana/quote-body.js';
import { whole } from '../../format/numbers.js';
import { Figure } from '../../ui/figure.js';
import { type Coin, type CoinBook, plainAddress } from '../coins.js';
import { ComparedFigure, PromiseFigures } from '../promise-figures.js';
import { RouteHop, RouteNode, RoutePool } from '../route-parts.js';
import { exactAmount } from '../units.js';
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
  return (
    <>
      {legsOf(quote.routePlan).map((leg) => (
        <Leg key={leg.map(({ swapInfo }) => swapInfo.ammKey).join(' ')} {...{ leg, book, chain, input, output }} />
      ))}
      <dl class="figures">
        <PromiseFigures {...{ quote, input, output }} />
        <ComparedFigure quote={quote} />
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
          <RouteNode {...{ chain, coin, amount }} address={coin?.address ?? mint} />
          {leg[at] !== undefined && (
            <RouteHop>
              <RoutePool
                pool={leg[at].swapInfo.ammKey}
                label={leg[at].swapInfo.label}
                note={poolWords(leg[at], at === 0)}
              />
            </RouteHop>
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
