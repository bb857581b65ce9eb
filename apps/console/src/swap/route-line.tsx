import { Fragment } from 'preact';
import type { EvmQuote, EvmRouteStep } from '#libs/protocol/rest/evm/quote-body.js';
import { shortId } from '../format/numbers.js';
import { TokenMark } from '../ui/token-mark.js';
import { type CoinBook, NATIVE } from './coins.js';
import { routeOf } from './route-shape.js';
import { exactAmount, shownAmount } from './units.js';

/** The route: a node for each token, and between two of them the pool that changes one into the other. */
export function RouteLine({ quote, book, wrapped }: { quote: EvmQuote; book: CoinBook; wrapped: string }) {
  const { nodes, hops } = routeOf(quote);
  return (
    <ol class="route" aria-label="Route">
      {nodes.map((node, index) => {
        const coin = book.get(node.mint);
        const hop = hops[index];
        return (
          <Fragment key={`${index} ${node.mint}`}>
            <li class="route-node">
              <TokenMark chain={quote.chain} symbol={coin?.symbol ?? null} address={node.mint} />
              <span class="route-amount">
                {coin === null ? '…' : shownAmount(node.amount, coin.decimals)}
                <small>{coin?.symbol ?? shortId(node.mint)}</small>
              </span>
            </li>
            {hop !== undefined && (
              <li class="route-hop">
                {hop === null ? (
                  <span class="route-pool">{quote.inputMint === NATIVE ? 'wrap' : 'unwrap'}</span>
                ) : (
                  <Pool step={hop} />
                )}
                <span class="route-wire" aria-hidden="true" />
              </li>
            )}
          </Fragment>
        );
      })}
      {hops[0] !== null && (quote.inputMint === NATIVE || quote.outputMint === NATIVE) && (
        <li class="route-note quiet">
          {book.get(NATIVE)?.symbol} travels as {book.get(wrapped.toLowerCase())?.symbol ?? 'its wrapped form'}
        </li>
      )}
    </ol>
  );
}

function Pool({ step: { swapInfo, fee } }: { step: EvmRouteStep }) {
  return (
    <span class="route-pool" title={`Pool ${swapInfo.ammKey}`} data-pool={swapInfo.ammKey}>
      {swapInfo.label}
      <small>{exactAmount(BigInt(fee), 4)}% fee</small>
    </span>
  );
}
