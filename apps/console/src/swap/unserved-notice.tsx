import type { ChainBody } from '#libs/serve/contract/rest/chain-body.js';
import { type SwapPair, tokenLink, tokensLink } from '../state/route.js';
import { Notice } from '../ui/notice.js';

/** Says that the router does not serve a chain, which is no failure, and what can be done instead. */
export function UnservedNotice({ row, pair }: { row: ChainBody; pair: SwapPair | null }) {
  return (
    <Notice title={`Swaps on ${row.name} are not offered yet`}>
      Its prices, candles and trades are served like those of every chain: go to{' '}
      <Places chain={row.chain} pair={pair} />.
    </Notice>
  );
}

/** Everything that can be done instead: the tokens of the pair, the chain's list, another chain. */
function Places({ chain, pair }: { chain: string; pair: SwapPair | null }) {
  const coins = pair === null ? [] : [pair.input, pair.output].filter((name) => name.toLowerCase() !== 'native');
  const token = coins[coins.length - 1];
  return (
    <>
      {token !== undefined && (
        <>
          <a href={tokenLink(chain, token)}>the token</a>, to{' '}
        </>
      )}
      <a href={tokensLink(chain)}>the tokens of the chain</a>
      {pair !== null && (
        <>
          {' '}
          or to <a href="#/swap">a swap on another chain</a>
        </>
      )}
    </>
  );
}
