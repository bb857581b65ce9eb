import { Fragment } from 'preact';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import { type CoinBook, NATIVE } from './coins.js';
import { RouteHop, RouteNode, RoutePool } from './route-parts.js';
import { routeOf } from './route-shape.js';
import { exactAmount } from './units.js';

/** The route: a node for each token, and between two of them the pool that changes one into the other. */
export function RouteLine({ quote, book, wrapped }: { quote: EvmQuote; book: CoinBook; wrapped: string }) {
  const { nodes, hops } = routeOf(quote);
  const coin = book.get(NATIVE)?.symbol;
  const wrappedCoin = book.get(wrapped.toLowerCase())?.symbol ?? 'its wrapped form';
  return (
    <ol class="route" aria-label="Route">
      {nodes.map((node, index) => {
        const hop = hops[index];
        return (
          <Fragment key={`${index} ${node.mint}`}>
            <RouteNode chain={quote.chain} coin={book.get(node.mint)} address={node.mint} amount={node.amount} />
            {hop !== undefined && (
              <RouteHop>
                {hop === null ? (
                  <span class="route-pool">{quote.inputMint === NATIVE ? 'wrap' : 'unwrap'}</span>
                ) : (
                  <RoutePool
                    pool={hop.swapInfo.ammKey}
                    label={hop.swapInfo.label}
                    note={`${exactAmount(BigInt(hop.fee), 4)}% fee`}
                  />
                )}
              </RouteHop>
            )}
          </Fragment>
        );
      })}
      {hops[0] !== null && (quote.inputMint === NATIVE || quote.outputMint === NATIVE) && (
        <li class="route-note quiet">
          {quote.inputMint === NATIVE
            ? `${coin} is wrapped to ${wrappedCoin}`
            : `${wrappedCoin} is unwrapped to ${coin}`}
        </li>
      )}
    </ol>
  );
}
